// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-materialize-copy-on-write,canonicalize,iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: an-update-that-becomes-its-source-is-copied-into-itself
// title: An update of a whole value becomes its source, which is then copied into itself
// signature: hazard/canonicalize/overlapping
// check: hazard
// verdict: broken-contract
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: the caller's memory: overlapping
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>, %v1: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c28 = arith.constant 28 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %v7 = stream.async.update %v1, %v0[%c0 to %c64] : !stream.resource<transient>{%c64} -> %v0 as !stream.resource<transient>{%c64} loc("op9")
    %v8 = stream.async.copy %v1[%c4 to %c32], %v7[%c0 to %c28], %c28 : !stream.resource<transient>{%c64} -> %v7 as !stream.resource<transient>{%c64} loc("op10")
    util.return %v8 : !stream.resource<transient> loc("op34")
  }
}
