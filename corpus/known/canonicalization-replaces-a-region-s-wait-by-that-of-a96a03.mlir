// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation,util.func(iree-stream-layout-slices,canonicalize))' --mlir-print-debuginfo %s
// id: canonicalization-replaces-a-region-s-wait-by-that-of-a96a03
// title: Canonicalization replaces a region's wait by that of a captured await: the memory it allocates is not waited for
// signature: hazard/canonicalize/before-allocation/region
// check: hazard
// verdict: broken-contract
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; what crosses devi
// actual: memory of op16: %v14, %v15 = stream.resource.alloca uninitialized : !stream.resource<transient>{%c64} => !stream.timepoint: before-allocation
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>) -> (!hal.buffer_view) {
    %c7_i32 = arith.constant 7 : i32
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %v5 = stream.async.transfer %v0 : !stream.resource<transient>{%c8} -> !stream.resource<staging>{%c8} loc("op14")
    %v6 = stream.async.store %c7_i32, %v5[%c0] : i32 -> %v5 as !stream.resource<staging>{%c8} loc("op15")
    %v7 = stream.async.transfer %v6 : !stream.resource<staging>{%c8} -> !stream.resource<transient>{%c8} loc("op16")
    %v8 = stream.async.dispatch @ex::@a_rrr_n(%v7[%c0 to %c8 for %c8]) : (!stream.resource<transient>{%c8}) -> !stream.resource<external>{%c16} loc("op26")
    %v9 = stream.tensor.export %v8 : tensor<?xi8>{%c16} in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op31")
    util.return %v9 : !hal.buffer_view loc("op32")
  }
}
