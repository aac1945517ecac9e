// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation,iree-stream-emplace-transients,iree-stream-materialize-transient-size-queries)' --mlir-print-debuginfo %s
// REQUIRES: iree-3.12 || iree-3.13
// id: emplacetransients-gives-a-loop-one-memory-for-each-turn
// title: EmplaceTransients gives a loop one memory for all its turns: the next is written while the one before is read
// signature: hazard/emplace-transients/shared
// check: hazard
// verdict: broken-contract
// guilty-pass: emplace-transients
// affects: 3.11.0 not, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: the caller's memory: overlapping
// issue: unreported

module {
  util.func public @main(%v0: index, %v1: !stream.resource<transient>, %v2: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c32 = arith.constant 32 : index
    %c60 = arith.constant 60 : index
    %c92 = arith.constant 92 : index
    %c128 = arith.constant 128 : index
    %v10, %v11 = scf.for %v12 = %c0 to %c3 step %c1 iter_args(%v13 = %v1, %v14 = %v1) -> (!stream.resource<transient>, !stream.resource<transient>) {
      %v15 = stream.async.dispatch @ex::@b_rrf32_n(%v1[%c0 to %c128 for %c128], %v14[%c32 to %c92 for %c60]) : (!stream.resource<transient>{%c128}, !stream.resource<transient>{%c128}) -> !stream.resource<transient>{%c128} loc("op5")
      scf.yield %v15, %v13 : !stream.resource<transient>, !stream.resource<transient> loc("op6")
    } loc("op1")
    %v16, %v17 = stream.timepoint.barrier %v10 : !stream.resource<transient>{%c128} => !stream.timepoint loc("op15")
    %v18, %v19 = stream.resource.transients await(%v17) => %v16 : !stream.resource<transient>{%c128} from %v2 : !stream.resource<transient>{%v0} => !stream.timepoint loc("op17")
    util.return %v18 : !stream.resource<transient> loc("op32")
  }
}
