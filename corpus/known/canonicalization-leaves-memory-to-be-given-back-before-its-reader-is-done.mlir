// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation,util.func(canonicalize),iree-util-propagate-subranges,util.func(canonicalize),iree-stream-automatic-reference-counting,util.func(convert-scf-to-cf,canonicalize),iree-stream-elide-timepoints,util.func(canonicalize))' --mlir-print-debuginfo %s
// id: canonicalization-leaves-memory-to-be-given-back-before-its-reader-is-done
// title: Canonicalization leaves memory to be given back before the region that reads it is done
// signature: hazard/canonicalize/given-back-too-early
// check: hazard
// verdict: broken-contract
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: the caller's memory: freed-in-use
// issue: unreported

module {
  util.func public @main(%v0: index, %v1: !stream.resource<transient>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c24 = arith.constant 24 : index
    %c28 = arith.constant 28 : index
    %c32 = arith.constant 32 : index
    %v8 = stream.async.transfer %v1 : !stream.resource<transient>{%c32} -> !stream.resource<transient>{%c32} loc("op3")
    %v9 = scf.for %v10 = %c2 to %v0 step %c1 iter_args(%v11 = %v1) -> (!stream.resource<transient>) {
      %v12, %v13 = util.optimization_barrier %v1, %v8 : !stream.resource<transient>, !stream.resource<transient> loc("op6")
      %v14 = stream.async.dispatch @ex::@a_rrr_n(%v11[%c24 to %c28 for %c4]) : (!stream.resource<transient>{%c32}) -> !stream.resource<transient>{%c32} loc("op7")
      scf.yield %v14 : !stream.resource<transient> loc("op8")
    } loc("op5")
    util.return loc("op27")
  }
}
