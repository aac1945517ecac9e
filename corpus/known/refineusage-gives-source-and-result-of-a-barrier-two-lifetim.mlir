// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-source-and-result-of-a-barrier-two-lifetim
// title: RefineUsage gives source and result of a barrier two lifetimes
// signature: accept/refine-usage/stream.async.barrier-types-differ
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'stream.async.barrier' op failed to verify that all of {source, result} have same type
// issue: unreported
// CHECK: error: {{.*}}'stream.async.barrier' op failed to verify that all of {source, result} have same type

module {
  util.global private @dev_a : !hal.device
  util.func public @main() -> (!hal.buffer_view) {
    %c8 = arith.constant 8 : index
    %v4 = stream.async.constant on(#hal.device.affinity<@dev_a>) : !stream.resource<constant>{%c8} = dense<8> : tensor<2xi32> loc("op0")
    %v5 = stream.async.barrier on(#hal.device.affinity<@dev_a>) %v4 : !stream.resource<constant>{%c8} loc("op1")
    %v9 = stream.async.clone on(#hal.device.affinity<@dev_a>) %v5 : !stream.resource<constant>{%c8} -> !stream.resource<external>{%c8} loc("op2")
    %v10 = stream.tensor.export %v9 : tensor<2xi32> in !stream.resource<external>{%c8} -> !hal.buffer_view loc("op3")
    util.return %v10 : !hal.buffer_view loc("op4")
  }
}
