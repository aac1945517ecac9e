// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-target-and-result-of-a-fill-two-lifetimes
// title: RefineUsage gives target and result of a fill two lifetimes
// signature: accept/refine-usage/stream.async.fill-types-differ
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'stream.async.fill' op failed to verify that all of {target, result} have same type
// issue: unreported
// CHECK: error: {{.*}}'stream.async.fill' op failed to verify that all of {target, result} have same type

module {
  util.global private @dev_a : !hal.device
  util.func public @main(%v0: !stream.resource<variable>) -> (!hal.buffer_view) {
    %c0_i32 = arith.constant 0 : i32
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c24 = arith.constant 24 : index
    %c64 = arith.constant 64 : index
    %v8 = stream.async.fill on(#hal.device.affinity<@dev_a>) %c0_i32, %v0[%c16 to %c24 for %c8] : i32 -> %v0 as !stream.resource<variable>{%c64} loc("op0")
    %v9 = stream.async.transfer %v8 : !stream.resource<variable>{%c64} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c64} loc("op1")
    %v10 = stream.tensor.export %v9 : tensor<16xi32> in !stream.resource<external>{%c64} -> !hal.buffer_view loc("op2")
    util.return %v10 : !hal.buffer_view loc("op3")
  }
}
