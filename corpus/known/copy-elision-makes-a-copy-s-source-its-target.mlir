// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-materialize-copy-on-write),iree-stream-elide-async-copies,util.func(canonicalize,iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: copy-elision-makes-a-copy-s-source-its-target
// title: Copy elision makes a copy's source its target
// signature: hazard/elide-async-copies/overlapping
// check: hazard
// verdict: broken-contract
// guilty-pass: elide-async-copies
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: the caller's memory: overlapping
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c7_i8 = arith.constant 7 : i8
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c28 = arith.constant 28 : index
    %c32 = arith.constant 32 : index
    %v8 = stream.async.fill %c7_i8, %v0[%c1 to %c5 for %c4] : i8 -> %v0 as !stream.resource<transient>{%c32} loc("op4")
    %v9 = stream.async.update %v0, %v8[%c0 to %c32] : !stream.resource<transient>{%c32} -> %v8 as !stream.resource<transient>{%c32} loc("op6")
    %v10 = stream.async.update %v0, %v9[%c0 to %c32] : !stream.resource<transient>{%c32} -> %v9 as !stream.resource<transient>{%c32} loc("op7")
    %v11 = stream.async.copy %v0[%c28 to %c32], %v10[%c28 to %c32], %c4 : !stream.resource<transient>{%c32} -> %v10 as !stream.resource<transient>{%c32} loc("op14")
    util.return %v11 : !stream.resource<transient> loc("op30")
  }
}
