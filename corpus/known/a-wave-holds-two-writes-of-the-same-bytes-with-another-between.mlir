// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-materialize-copy-on-write,iree-stream-schedule-execution,iree-stream-schedule-concurrency),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: a-wave-holds-two-writes-of-the-same-bytes-with-another-between
// title: A wave holds two in-place writes of the same bytes that have one of other bytes between them
// signature: hazard/schedule-concurrency/unordered/within-a-region
// check: hazard
// verdict: broken-contract
// guilty-pass: schedule-concurrency
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: memory of op27: %v7, %v8 = stream.resource.alloca uninitialized on(#hal.device.affinity<@dev_b>) : !stream.resource<transient>{%c8} => !stream.timepoint: unorde
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>, %v1: !stream.resource<transient>, %v2: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %v6 = stream.async.update %v1, %v0[%c0 to %c4] : !stream.resource<transient>{%c4} -> %v0 as !stream.resource<transient>{%c8} loc("op27")
    %v7 = stream.async.update %v2, %v6[%c4 to %c8] : !stream.resource<transient>{%c4} -> %v6 as !stream.resource<transient>{%c8} loc("op28")
    %v8 = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@b_wi32_t(%v7[%c0 to %c4 for %c4]) : (!stream.resource<transient>{%c8}) -> %v7{%c8} loc("op30")
    util.return %v8 : !stream.resource<transient> loc("op31")
  }
}
