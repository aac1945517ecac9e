// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize),inline,util.func(iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: the-host-writes-over-staging-that-a-region-still-reads
// title: The host writes over staging that a region still reads, where a transfer there and back became the value itself
// signature: hazard/schedule-execution/unordered/write-after-read/host
// check: hazard
// verdict: broken-contract
// guilty-pass: schedule-execution
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: the caller's memory: unordered
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<staging>) -> (!stream.resource<transient>, !stream.resource<transient>) {
    %c64 = arith.constant 64 : index
    %v2 = stream.async.transfer %v0 : !stream.resource<staging>{%c64} from(#hal.device.affinity<@dev_d>) -> to(#hal.device.affinity<@dev_d>) !stream.resource<transient>{%c64} loc("op5")
    %v3, %v4 = util.call @f0(%v2, %v2) : (!stream.resource<transient>, !stream.resource<transient>) -> (!stream.resource<transient>, !stream.resource<transient>) loc("op21")
    util.return %v3, %v4 : !stream.resource<transient>, !stream.resource<transient> loc("op34")
  }
  util.func public @f0(%v5: !stream.resource<transient>, %v6: !stream.resource<transient>) -> (!stream.resource<transient>, !stream.resource<transient>) {
    %c85_i64 = arith.constant 85 : i64
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %v10 = stream.async.transfer %v5 : !stream.resource<transient>{%c64} -> to(#hal.device.affinity<@dev_d>) !stream.resource<staging>{%c64} loc("op7")
    %v11 = stream.async.store %c85_i64, %v10[%c16] : i64 -> %v10 as !stream.resource<staging>{%c64} loc("op8")
    %v12 = stream.async.transfer %v11 : !stream.resource<staging>{%c64} -> !stream.resource<transient>{%c64} loc("op13")
    %v13 = stream.async.transfer %v12 : !stream.resource<transient>{%c64} -> to(#hal.device.affinity<@dev_c>) !stream.resource<transient>{%c64} loc("op18")
    util.return %v13, %v6 : !stream.resource<transient>, !stream.resource<transient> loc("op20")
  }
}
