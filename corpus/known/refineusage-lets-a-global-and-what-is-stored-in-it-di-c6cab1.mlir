// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-lets-a-global-and-what-is-stored-in-it-di-c6cab1
// title: RefineUsage lets a global and what is stored in it differ in lifetime
// signature: accept/refine-usage/util.global.store-types-differ
// check: accept
// asked-by: roundtrip
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'util.global.store' op global type mismatch; global "g0" is '!stream.resource<variable>' but store is '!stream.resource<external>'
// issue: unreported
// CHECK: error: {{.*}}'util.global.store' op global type mismatch; global "g0" is '!stream.resource<variable>' but store is '!stream.resource<external>'

module {
  util.global public mutable @g0 : !stream.resource<variable>
  util.func public @main() -> (!hal.buffer_view, !hal.buffer_view) {
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c60 = arith.constant 60 : index
    %c64 = arith.constant 64 : index
    %v4 = stream.async.constant : !stream.resource<constant>{%c64} = dense<[6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]> : tensor<16xi32> loc("op2")
    %v5 = stream.async.transfer %v4 : !stream.resource<constant>{%c64} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<*>{%c64} loc("op3")
    %v6 = stream.async.barrier %v5 : !stream.resource<*>{%c64} loc("op6")
    %v7 = stream.async.transfer %v6 : !stream.resource<*>{%c64} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c64} loc("op8")
    %v8 = stream.tensor.export %v7 : tensor<16xi32> in !stream.resource<external>{%c64} -> !hal.buffer_view loc("op9")
    %v9 = stream.async.transfer %v5 : !stream.resource<*>{%c64} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<variable>{%c64} loc("op14")
    util.global.store %v9, @g0 : !stream.resource<variable> loc("op15")
    %v10 = stream.async.transfer %v5 : !stream.resource<*>{%c64} -> !stream.resource<transient>{%c64} loc("op17")
    %v11 = stream.async.dispatch @ex::@b_rrri32_n(%v10[%c60 to %c64 for %c4]) : (!stream.resource<transient>{%c64}) -> !stream.resource<transient>{%c16} loc("op21")
    %v12 = stream.async.transfer %v11 : !stream.resource<transient>{%c16} -> !stream.resource<external>{%c16} loc("op24")
    %v13 = stream.tensor.export %v12 : tensor<8xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op25")
    util.return %v8, %v13 : !hal.buffer_view, !hal.buffer_view loc("op26")
  }
}
