// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-materialize-copy-on-write,canonicalize),iree-stream-refine-usage,util.func(canonicalize,iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// REQUIRES: iree-3.12 || iree-3.13
// id: what-is-behind-a-timepoint-barrier-is-copied-without-waiting
// title: What is behind a timepoint barrier is copied without waiting for the region that writes it
// signature: hazard/schedule-execution/unordered/without-wait
// check: hazard
// verdict: broken-contract
// guilty-pass: schedule-execution
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote
// actual: the copy's region waits for no timepoint by which the fill's region has ended: the same cause as the coverage finding of what is behind a timepoint barrier
// issue: unreported

module {
  util.func public @main(%v0: i1, %v1: !stream.resource<transient>, %v2: !stream.resource<transient>) -> (!stream.resource<external>) {
    %c0_i16 = arith.constant 0 : i16
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %v6 = stream.async.fill %c0_i16, %v1[%c0 to %c16 for %c16] : i16 -> %v1 as !stream.resource<transient>{%c16} loc("op17")
    %v7, %v8 = stream.timepoint.barrier %v6 : !stream.resource<transient>{%c16} => !stream.timepoint loc("op18")
    %v9 = arith.select %v0, %v7, %v2 : !stream.resource<transient> loc("op23")
    %v10 = stream.async.cast %v9 : !stream.resource<transient>{%c16} -> !stream.resource<external>{%c16} loc("op24")
    util.return %v10 : !stream.resource<external> loc("op25")
  }
}
