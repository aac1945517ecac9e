// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-a-returned-staging-barrier-another-lifetim
// title: RefineUsage gives a returned staging barrier another lifetime than the function's result
// signature: accept/refine-usage/util.return-types-differ
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'util.return' op type of return operand 0 ('!stream.resource<transient>') doesn't match function result type ('!stream.resource<stagi
// issue: unreported
// CHECK: error: {{.*}}'util.return' op type of return operand 0

module {
  util.global private @dev_b : !hal.device
  util.func public @main(%v0: index, %v35: !stream.resource<staging>) -> (!stream.resource<staging>) {
    %v39 = stream.async.barrier on(#hal.device.affinity<@dev_b>) %v35 : !stream.resource<staging>{%v0} loc("op0")
    util.return %v39 : !stream.resource<staging> loc("op1")
  }
}
