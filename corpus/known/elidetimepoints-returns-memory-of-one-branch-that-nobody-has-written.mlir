// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize),inline,util.func(iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation,util.func(iree-stream-layout-slices,canonicalize),iree-util-propagate-subranges,util.func(canonicalize),iree-stream-elide-timepoints,util.func(canonicalize))' --mlir-print-debuginfo %s
// id: elidetimepoints-returns-memory-of-one-branch-that-nobody-has-written
// title: ElideTimepoints returns the memory of one branch for both, of which nobody has written a part
// signature: hazard/elide-timepoints/unwritten
// check: hazard
// verdict: broken-contract
// guilty-pass: elide-timepoints
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: memory of op3+op1+op13: %v8, %v9 = stream.resource.alloca uninitialized : !stream.resource<transient>{%c192} => !stream.timepoint: unwritten
// issue: unreported

module {
  util.func public @main(%v0: i1) -> (!stream.resource<transient>) {
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %v3 = stream.async.alloca : !stream.resource<transient>{%c8} loc("op1")
    %v4 = stream.async.alloca : !stream.resource<transient>{%c4} loc("op3")
    %v5, %v6 = stream.timepoint.barrier %v4 : !stream.resource<transient>{%c4} => !stream.timepoint loc("op9")
    %v7, %v8 = stream.timepoint.barrier %v3 : !stream.resource<transient>{%c8} => !stream.timepoint loc("op10")
    %v9, %v10 = stream.timepoint.await %v6 => %v5, %v7 : !stream.resource<transient>{%c4}, !stream.resource<transient>{%c8} loc("op12")
    %v11 = util.call @f0(%v10, %v0) : (!stream.resource<transient>, i1) -> !stream.resource<transient> loc("op27")
    util.return %v11 : !stream.resource<transient> loc("op30")
  }
  util.func public @f0(%v12: !stream.resource<transient>, %v13: i1) -> (!stream.resource<transient>) {
    %c0_i32 = arith.constant 0 : i32
    %c8 = arith.constant 8 : index
    %v16 = stream.async.splat %c0_i32 : i32 -> !stream.resource<transient>{%c8} loc("op13")
    %v17 = arith.select %v13, %v12, %v16 : !stream.resource<transient> loc("op15")
    cf.cond_br %v13, ^bb1, ^bb2 loc("op16")
  ^bb1:
    %v18 = stream.async.dispatch @ex::@a_rr_n() : () -> !stream.resource<transient>{%c8} loc("op23")
    util.return %v18 : !stream.resource<transient> loc("op25")
  ^bb2:
    util.return %v17 : !stream.resource<transient> loc("op26")
  }
}
