// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-materialize-copy-on-write),iree-stream-elide-async-copies,util.func(iree-stream-emplace-allocations),iree-stream-refine-usage,util.func(canonicalize,iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: emplaceallocations-puts-a-result-over-an-argument-that-is-the-same-as-another
// title: EmplaceAllocations puts a kernel's result over an argument of a call that is the kernel's operand under another name
// signature: hazard/emplace-allocations/overlapping/handed-on
// check: hazard
// verdict: broken-contract
// guilty-pass: emplace-allocations
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: memory of op0: %v1, %v2 = stream.resource.alloca uninitialized on(#hal.device.affinity<@dev_a>) : !stream.resource<external>{%c16} => !stream.timepoint: overlap
// issue: unreported

module {
  util.func public @main() {
    %c16 = arith.constant 16 : index
    %v1 = stream.async.alloca : !stream.resource<external>{%c16} loc("op0")
    %v2 = util.call @f0(%v1, %v1) : (!stream.resource<external>, !stream.resource<external>) -> !stream.resource<external> loc("op19")
    util.return loc("op24")
  }
  util.func private @f0(%v3: !stream.resource<external>, %v4: !stream.resource<external>) -> (!stream.resource<external>) attributes {inlining_policy = #util.inline.never} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %v7 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@b_r_n(%v3[%c0 to %c16 for %c16]) : (!stream.resource<external>{%c16}) -> !stream.resource<transient>{%c16} loc("op4")
    %v8 = stream.async.update on(#hal.device.affinity<@dev_a>) %v7, %v4[%c0 to %c16] : !stream.resource<transient>{%c16} -> %v4 as !stream.resource<external>{%c16} loc("op5")
    util.return %v8 : !stream.resource<external> loc("op18")
  }
}
