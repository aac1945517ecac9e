// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-makes-what-a-store-writes-something-else-eb7720
// title: RefineUsage makes what a store writes something else than staging
// signature: accept/refine-usage/stream.async.store-op-operand-must-be-staging-resource-but-got
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'stream.async.store' op operand #0 must be staging resource, but got '!stream.resource<external>'
// issue: unreported
// CHECK: error: {{.*}}'stream.async.store' op operand #0 must be staging resource, but got '!stream.resource<external>'

module {
  util.func public @main() -> (!stream.resource<staging>) {
    %cn1_i64 = arith.constant -1 : i64
    %cn1_i8 = arith.constant -1 : i8
    %c0 = arith.constant 0 : index
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %v5 = stream.async.constant : !stream.resource<constant>{%c16} = dense<[9, 10, 11, 12]> : tensor<4xi32> loc("op0")
    %v6 = stream.async.transfer %v5 : !stream.resource<constant>{%c16} -> !stream.resource<*>{%c16} loc("op1")
    %v7 = stream.async.barrier %v6 : !stream.resource<*>{%c16} loc("op2")
    %v8 = stream.async.dispatch @ex::@a_wi64_t(%v7[%c0 to %c16 for %c16]) : (!stream.resource<*>{%c16}) -> %v7{%c16} loc("op4")
    %v9 = stream.async.transfer %v8 : !stream.resource<*>{%c16} from(#hal.device.affinity<@dev_a, [0]>) -> to(#hal.device.affinity<@dev_a, [0]>) !stream.resource<staging>{%c16} loc("op8")
    %v10 = stream.async.store %cn1_i8, %v9[%c12] : i8 -> %v9 as !stream.resource<staging>{%c16} loc("op9")
    %v11 = stream.async.store %cn1_i64, %v10[%c0] : i64 -> %v10 as !stream.resource<staging>{%c16} loc("op17")
    util.return %v11 : !stream.resource<staging> loc("op33")
  }
}
