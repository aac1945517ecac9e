// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize),inline,util.func(iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: a-region-in-a-branch-of-a-loop-does-not-wait-for-what-the-loop-carries
// title: A region in a branch of a loop does not wait for what the loop carries once the host's waits are gone
// signature: hazard/propagate-timepoints/unordered/without-wait
// check: hazard
// verdict: broken-contract
// guilty-pass: propagate-timepoints
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: memory of op21: %v19, %v20 = stream.resource.alloca uninitialized : !stream.resource<external>{%c16} => !stream.timepoint: before-allocation
// issue: unreported

module {
  util.global public mutable @g0 : !stream.resource<variable>
  util.func public @main(%v0: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %v5 = stream.async.dispatch @ex::@b_windex_t() : () -> !stream.resource<external>{%c16} loc("op1")
    %v6 = scf.for %v7 = %c0 to %c16 step %c1 iter_args(%v8 = %v5) -> (!stream.resource<external>) {
      util.call @f0(%v8, %v0) : (!stream.resource<external>, i1) -> () loc("op16")
      %v9 = stream.async.alloca : !stream.resource<external>{%c16} loc("op21")
      scf.yield %v9 : !stream.resource<external> loc("op22")
    } loc("op2")
    util.return loc("op26")
  }
  util.func public @f0(%v10: !stream.resource<external>, %v11: i1) {
    %c16 = arith.constant 16 : index
    scf.if %v11 {
      %v14 = stream.async.transfer %v10 : !stream.resource<external>{%c16} -> !stream.resource<transient>{%c16} loc("op10")
      %v15 = stream.async.transfer %v14 : !stream.resource<transient>{%c16} -> !stream.resource<variable>{%c16} loc("op12")
      util.global.store %v15, @g0 : !stream.resource<variable> loc("op13")
      scf.yield loc("op14")
    } loc("op8")
    util.return loc("op15")
  }
}
