// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation,util.func(canonicalize))' --mlir-print-debuginfo %s
// id: a-region-without-commands-takes-what-it-waited-for-with-it
// title: A region without commands is elided, and with it the wait for what it waited for
// signature: hazard/canonicalize/unordered/without-wait
// check: hazard
// verdict: broken-contract
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: memory of op9: %v14, %v15 = stream.resource.alloca uninitialized : !stream.resource<transient>{%c16} => !stream.timepoint: unordered
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>) -> (!stream.resource<transient>, !stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %v5, %v6 = scf.for %v7 = %c0 to %c16 step %c1 iter_args(%v8 = %v0, %v9 = %v0) -> (!stream.resource<transient>, !stream.resource<transient>) {
      %v10 = stream.async.transfer %v0 : !stream.resource<transient>{%c16} -> !stream.resource<transient>{%c16} loc("op7")
      %v11 = stream.async.dispatch @ex::@b_rr_n() : () -> !stream.resource<transient>{%c16} loc("op9")
      scf.yield %v11, %v8 : !stream.resource<transient>, !stream.resource<transient> loc("op10")
    } loc("op1")
    %v12 = stream.async.barrier %v6 : !stream.resource<transient>{%c16} loc("op14")
    %v13 = stream.async.alloca : !stream.resource<transient>{%c16} loc("op25")
    util.return %v13, %v12 : !stream.resource<transient>, !stream.resource<transient> loc("op31")
  }
}
