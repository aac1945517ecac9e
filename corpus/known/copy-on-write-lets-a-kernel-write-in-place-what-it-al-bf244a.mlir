// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-materialize-copy-on-write,iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: copy-on-write-lets-a-kernel-write-in-place-what-it-al-bf244a
// title: Copy-on-write lets a kernel write in place what it also takes as another operand
// signature: hazard/copy-on-write/overlapping
// check: hazard
// verdict: broken-contract
// guilty-pass: copy-on-write
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: memory of op12: %v7, %v8 = stream.resource.alloca uninitialized : !stream.resource<transient>{%c32} => !stream.timepoint: overlapping
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c24 = arith.constant 24 : index
    %c32 = arith.constant 32 : index
    %v6 = stream.async.alloca : !stream.resource<transient>{%c32} loc("op1")
    %v7 = stream.async.update %v0, %v6[%c0 to %c32] : !stream.resource<transient>{%c32} -> %v6 as !stream.resource<transient>{%c32} loc("op9")
    %v8 = stream.async.dispatch @ex::@a_wrri64i32_t(%v7[%c0 to %c32 for %c32], %v0[%c16 to %c24 for %c8]) : (!stream.resource<transient>{%c32}, !stream.resource<transient>{%c32}) -> %v7{%c32} loc("op12")
    util.return %v8 : !stream.resource<transient> loc("op16")
  }
}
