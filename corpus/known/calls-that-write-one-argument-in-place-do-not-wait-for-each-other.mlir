// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: calls-that-write-one-argument-in-place-do-not-wait-for-each-other
// title: Calls that write one argument in place do not wait for each other once the host's waits are gone
// signature: hazard/propagate-timepoints/unordered/written-in-place
// check: hazard
// verdict: broken-contract
// guilty-pass: propagate-timepoints
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: the caller's memory: unordered
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %v4 = stream.async.transfer %v0 : !stream.resource<transient>{%c16} -> !stream.resource<transient>{%c16} loc("op3")
    cf.br ^bb1(%c16 : index) loc("op5")
  ^bb1(%v5: index):
    %v6 = "arith.cmpi"(%v5, %c0) <{predicate = 1}> : (index, index) -> (i1) loc("op6")
    cf.cond_br %v6, ^bb2, ^bb3 loc("op7")
  ^bb2:
    %v7 = util.call @f0(%v0) : (!stream.resource<transient>) -> !stream.resource<transient> loc("op27")
    %v8 = "arith.subi"(%v5, %c1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> (index) loc("op30")
    cf.br ^bb1(%v8 : index) loc("op31")
  ^bb3:
    util.return loc("op34")
  }
  util.func private @f0(%v9: !stream.resource<transient>) -> (!stream.resource<transient>) attributes {inlining_policy = #util.inline.never} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %v12 = stream.async.alloca : !stream.resource<transient>{%c16} loc("op8")
    %v13 = stream.async.barrier %v9 : !stream.resource<transient>{%c16} loc("op9")
    %v14 = stream.async.update %v12, %v13[%c0 to %c16] : !stream.resource<transient>{%c16} -> %v13 as !stream.resource<transient>{%c16} loc("op13")
    util.return %v14 : !stream.resource<transient> loc("op25")
  }
}
