// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize),iree-stream-refine-usage,util.func(iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// REQUIRES: iree-3.12 || iree-3.13
// id: copy-on-write-makes-no-copy-of-a-constant-behind-two-09e9ab
// title: Copy-on-write makes no copy of a constant behind two casts, so a command writes what may be mapped read-only
// signature: hazard/copy-on-write/read-only
// check: hazard
// verdict: broken-contract
// guilty-pass: copy-on-write
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: memory of line7: %v4, %v5 = stream.resource.constants : !stream.resource<constant>{%c128} = dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>) -> (!stream.resource<*>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c128 = arith.constant 128 : index
    %v4 = stream.async.constant : !stream.resource<constant>{%c128} = dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32]> : tensor<32xi32> loc("line7")
    %v5 = stream.async.cast %v4 : !stream.resource<constant>{%c128} -> !stream.resource<transient>{%c128} loc("line8")
    %v6 = stream.async.cast %v5 : !stream.resource<transient>{%c128} -> !stream.resource<*>{%c128} loc("line9")
    %v7 = stream.async.copy %v0[%c0 to %c16], %v6[%c0 to %c16], %c16 : !stream.resource<transient>{%c16} -> %v6 as !stream.resource<*>{%c128} loc("line10")
    util.return %v7 : !stream.resource<*> loc("line11")
  }
}
