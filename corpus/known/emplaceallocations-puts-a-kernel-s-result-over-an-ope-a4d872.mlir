// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-materialize-copy-on-write),iree-stream-elide-async-copies,util.func(iree-stream-emplace-allocations),iree-stream-refine-usage,util.func(iree-stream-schedule-execution),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: emplaceallocations-puts-a-kernel-s-result-over-an-ope-a4d872
// title: EmplaceAllocations puts a kernel's result over an operand that the kernel reads
// signature: hazard/emplace-allocations/overlapping
// check: hazard
// verdict: broken-contract
// guilty-pass: emplace-allocations
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: memory of op1: %v6, %v7 = stream.resource.alloca uninitialized on(#hal.device.affinity<@dev_d>) : !stream.resource<transient>{%c64} => !stream.timepoint: overla
// issue: unreported

module {
  util.func public @main() -> (!hal.buffer_view) {
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %c28 = arith.constant 28 : index
    %c32 = arith.constant 32 : index
    %c44 = arith.constant 44 : index
    %c64 = arith.constant 64 : index
    %v6 = stream.async.alloca : !stream.resource<transient>{%c64} loc("op0")
    %v7 = stream.async.transfer %v6 : !stream.resource<transient>{%c64} -> to(#hal.device.affinity<@dev_d>) !stream.resource<transient>{%c64} loc("op1")
    %v8 = stream.async.dispatch on(#hal.device.affinity<@dev_d>) @ex::@b_rrri64_n(%v7[%c28 to %c44 for %c16]) : (!stream.resource<transient>{%c64}) -> !stream.resource<transient>{%c32} loc("op6")
    %v9 = stream.async.update on(#hal.device.affinity<@dev_d>) %v8, %v7[%c12 to %c44] : !stream.resource<transient>{%c32} -> %v7 as !stream.resource<transient>{%c64} loc("op7")
    %v10 = stream.async.transfer %v9 : !stream.resource<transient>{%c64} -> !stream.resource<external>{%c64} loc("op10")
    %v11 = stream.tensor.export %v10 : tensor<16xi32> in !stream.resource<external>{%c64} -> !hal.buffer_view loc("op11")
    util.return %v11 : !hal.buffer_view loc("op12")
  }
}
