// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-materialize-copy-on-write,canonicalize,iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: canonicalization-lets-a-callee-copy-in-place-between-what-is-one
// title: Canonicalization drops the clone that keeps apart two arguments of a call that are one: a copy overlaps itself
// signature: hazard/canonicalize/overlapping/handed-on
// check: hazard
// verdict: broken-contract
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: the caller's memory: overlapping
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>) {
    %v1 = util.call @f0(%v0, %v0) : (!stream.resource<transient>, !stream.resource<transient>) -> !stream.resource<transient> loc("op19")
    util.return loc("op31")
  }
  util.func public @f0(%v2: !stream.resource<transient>, %v3: !stream.resource<transient>) -> (!stream.resource<transient>) attributes {inlining_policy = #util.inline.never} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %v6 = stream.async.copy %v3[%c0 to %c8], %v2[%c0 to %c8], %c8 : !stream.resource<transient>{%c8} -> %v2 as !stream.resource<transient>{%c8} loc("op15")
    %v7 = stream.async.update %v2, %v6[%c0 to %c8] : !stream.resource<transient>{%c8} -> %v6 as !stream.resource<transient>{%c8} loc("op16")
    util.return %v7 : !stream.resource<transient> loc("op17")
  }
}
