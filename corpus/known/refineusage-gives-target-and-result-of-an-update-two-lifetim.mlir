// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-target-and-result-of-an-update-two-lifetim
// title: RefineUsage gives target and result of an update two lifetimes
// signature: accept/refine-usage/stream.async.update-types-differ
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'stream.async.update' op failed to verify that all of {target, result} have same type
// issue: unreported
// CHECK: error: {{.*}}'stream.async.update' op failed to verify that all of {target, result} have same type

module {
  util.global private @dev_a : !hal.device
  util.func public @main(%v0: !stream.resource<variable>, %v22: !stream.resource<transient>) -> (!stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %v23 = stream.async.update on(#hal.device.affinity<@dev_a>) %v22, %v0[%c0 to %c8] : !stream.resource<transient>{%c8} -> %v0 as !stream.resource<variable>{%c8} loc("op0")
    %v27 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@a_rrr_n(%v23[%c4 to %c8 for %c4]) : (!stream.resource<variable>{%c8}) -> !stream.resource<transient>{%c8} loc("op1")
    %v28 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@a_rrr_n(%v27[%c4 to %c8 for %c4]) : (!stream.resource<transient>{%c8}) -> !stream.resource<external>{%c8} loc("op2")
    util.return %v28 : !stream.resource<external> loc("op3")
  }
}
