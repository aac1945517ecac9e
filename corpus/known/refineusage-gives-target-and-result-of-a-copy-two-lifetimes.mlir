// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-target-and-result-of-a-copy-two-lifetimes
// title: RefineUsage gives target and result of a copy two lifetimes
// signature: accept/refine-usage/stream.async.copy-op-failed-to-verify-that-all-of-target-result-have-same-type
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'stream.async.copy' op failed to verify that all of {target, result} have same type
// issue: unreported
// CHECK: error: {{.*}}'stream.async.copy' op failed to verify that all of {target, result} have same type

module {
  util.global private @dev_a : !hal.device
  util.func public @main(%v0: index, %v17: !stream.resource<constant>, %v16: !stream.resource<external>) -> (!hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %v18 = stream.async.copy on(#hal.device.affinity<@dev_a>) %v16[%c0 to %c32], %v17[%c0 to %c32], %c32 : !stream.resource<external>{%v0} -> %v17 as !stream.resource<constant>{%c32} loc("op0")
    %v25 = stream.async.cast on(#hal.device.affinity<@dev_a>) %v18 : !stream.resource<constant>{%c32} -> !stream.resource<external>{%c32} loc("op1")
    %v26 = stream.tensor.export %v25 : tensor<8xi32> in !stream.resource<external>{%c32} -> !hal.buffer_view loc("op2")
    util.return %v26 : !hal.buffer_view loc("op3")
  }
}
