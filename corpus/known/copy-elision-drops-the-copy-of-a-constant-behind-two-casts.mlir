// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-materialize-copy-on-write),iree-stream-elide-async-copies,iree-stream-refine-usage,util.func(iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// REQUIRES: iree-3.12 || iree-3.13
// id: copy-elision-drops-the-copy-of-a-constant-behind-two-casts
// title: Copy elision drops the copy of a constant behind two casts, so a command writes what may be mapped read-only
// signature: hazard/elide-async-copies/read-only
// check: hazard
// verdict: broken-contract
// guilty-pass: elide-async-copies
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: memory of op10: %v11, %v12 = stream.resource.constants : !stream.resource<constant>{%c64} = dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]> : ten
// issue: unreported

module {
  util.func public @main(%v0: index, %v1: !stream.resource<*>, %v2: !stream.resource<transient>) -> (!stream.resource<*>, !stream.resource<*>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c24 = arith.constant 24 : index
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %c56 = arith.constant 56 : index
    %c64 = arith.constant 64 : index
    %c120 = arith.constant 120 : index
    %v12 = stream.async.constant : !stream.resource<constant>{%c64} = dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]> : tensor<16xi32> loc("op10")
    %v13 = stream.async.cast %v12 : !stream.resource<constant>{%c64} -> !stream.resource<transient>{%c64} loc("op11")
    %v14 = stream.async.cast %v13 : !stream.resource<transient>{%c64} -> !stream.resource<*>{%c64} loc("op12")
    %v15 = stream.async.copy %v14[%c0 to %c64], %v1[%c56 to %c120], %c64 : !stream.resource<*>{%c64} -> %v1 as !stream.resource<*>{%v0} loc("op13")
    %v16 = stream.async.copy %v2[%c8 to %c24], %v14[%c32 to %c48], %c16 : !stream.resource<transient>{%c32} -> %v14 as !stream.resource<*>{%c64} loc("op14")
    util.return %v15, %v16 : !stream.resource<*>, !stream.resource<*> loc("op31")
  }
}
