// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-source-and-result-of-a-barrier-two-lifetim
// title: RefineUsage gives source and result of a barrier two lifetimes
// signature: accept/refine-usage/stream.async.barrier-op-failed-to-verify-that-all-of-source-result-have-same-type
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'stream.async.barrier' op failed to verify that all of {source, result} have same type
// issue: unreported
// CHECK: error: {{.*}}'stream.async.barrier' op failed to verify that all of {source, result} have same type

module {
  util.global private @dev_b : !hal.device
  util.func public @main(%v0: index) -> (!stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %v10 = stream.async.constant on(#hal.device.affinity<@dev_b>) : !stream.resource<constant>{%c16} = dense<0> : tensor<4xi32> loc("op0")
    %v11 = stream.async.barrier on(#hal.device.affinity<@dev_b>) %v10 : !stream.resource<constant>{%c16} loc("op1")
    %v12 = stream.async.cast on(#hal.device.affinity<@dev_b>) %v11 : !stream.resource<constant>{%c16} -> !stream.resource<transient>{%c16} loc("op2")
    %v16 = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@b_rrrf32_n(%v12[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> !stream.resource<external>{%v0} loc("op3")
    util.return %v16 : !stream.resource<external> loc("op4")
  }
}
