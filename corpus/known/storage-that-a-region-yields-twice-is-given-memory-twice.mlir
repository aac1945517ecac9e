// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-materialize-copy-on-write),iree-stream-elide-async-copies,util.func(iree-stream-schedule-execution),iree-stream-materialize-builtins,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// REQUIRES: iree-3.12 || iree-3.13
// id: storage-that-a-region-yields-twice-is-given-memory-twice
// title: Storage that a region yields twice is given memory twice, of which only one is written
// signature: hazard/schedule-allocation/unwritten
// check: hazard
// verdict: broken-contract
// guilty-pass: schedule-allocation
// affects: 3.11.0 not, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: memory of op13~2: %v34, %v35 = stream.resource.alloca uninitialized on(#hal.device.affinity<@dev_a, [0]>) await(%v25) => !stream.resource<external>{%v31} => !st
// issue: unreported

module {
  util.func public @main() -> (!stream.resource<external>, !hal.buffer_view) {
    %c0_i8 = arith.constant 0 : i8
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %v4 = stream.async.splat on(#hal.device.affinity<@dev_b>) %c0_i8 : i8 -> !stream.resource<external>{%c32} loc("op0")
    %v5 = stream.async.transfer %v4 : !stream.resource<external>{%c32} -> !stream.resource<staging>{%c32} loc("op1")
    %v6 = stream.async.load %v5[%c16] : !stream.resource<staging>{%c32} -> i64 loc("op2")
    %v7 = stream.async.transfer %v4 : !stream.resource<external>{%c32} -> to(#hal.device.affinity<@dev_a, [0]>) !stream.resource<external>{%c32} loc("op13")
    %v8 = stream.tensor.export %v7 : tensor<8xi32> in !stream.resource<external>{%c32} -> !hal.buffer_view loc("op14")
    %v9 = stream.async.fill %v6, %v7[%c0 to %c16 for %c16] : i64 -> %v7 as !stream.resource<external>{%c32} loc("op15")
    util.return %v9, %v8 : !stream.resource<external>, !hal.buffer_view loc("op23")
  }
}
