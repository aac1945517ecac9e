// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: a-region-that-writes-in-place-does-not-wait-for-who-reads
// title: A region that writes in place does not wait for the one that reads the old value on another device
// signature: hazard/schedule-execution/unordered/written-in-place
// check: hazard
// verdict: broken-contract
// guilty-pass: schedule-execution
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: the caller's memory: unordered
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>, %v1: !stream.resource<external>) -> (!hal.buffer_view, !stream.resource<transient>) {
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c28 = arith.constant 28 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %v7 = stream.async.transfer %v1 : !stream.resource<external>{%c64} -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c64} loc("op19")
    %v8 = stream.async.barrier %v1 : !stream.resource<external>{%c64} loc("op21")
    %v9 = stream.async.copy on(#hal.device.affinity<@dev_b>) %v0[%c4 to %c8], %v8[%c28 to %c32], %c4 : !stream.resource<transient>{%c8} -> %v8 as !stream.resource<external>{%c64} loc("op22")
    %v10 = stream.tensor.export %v9 : tensor<16xi32> in !stream.resource<external>{%c64} -> !hal.buffer_view loc("op23")
    util.return %v10, %v7 : !hal.buffer_view, !stream.resource<transient> loc("op33")
  }
}
