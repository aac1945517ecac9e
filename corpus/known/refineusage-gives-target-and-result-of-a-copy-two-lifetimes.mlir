// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-target-and-result-of-a-copy-two-lifetimes
// title: RefineUsage gives target and result of a copy two lifetimes
// signature: accept/refine-usage/stream.async.copy-types-differ
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'stream.async.copy' op failed to verify that all of {target, result} have same type
// issue: unreported
// CHECK: error: {{.*}}'stream.async.copy' op failed to verify that all of {target, result} have same type

module {
  util.global private @dev_a : !hal.device
  util.func public @main(%v0: !stream.resource<variable>, %v8: !stream.resource<*>) -> (!hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c24 = arith.constant 24 : index
    %c28 = arith.constant 28 : index
    %c32 = arith.constant 32 : index
    %v9 = stream.async.copy on(#hal.device.affinity<@dev_a>) %v8[%c0 to %c24], %v0[%c4 to %c28], %c24 : !stream.resource<*>{%c32} -> %v0 as !stream.resource<variable>{%c32} loc("op0")
    %v10 = stream.async.clone on(#hal.device.affinity<@dev_a>) %v9 : !stream.resource<variable>{%c32} -> !stream.resource<transient>{%c32} loc("op1")
    %v11 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@a_w_t(%v10[%c0 to %c32 for %c32]) : (!stream.resource<transient>{%c32}) -> !stream.resource<external>{%c32} loc("op2")
    %v12 = stream.tensor.export %v11 : tensor<8xi32> in !stream.resource<external>{%c32} -> !hal.buffer_view loc("op3")
    util.return %v12 : !hal.buffer_view loc("op4")
  }
}
