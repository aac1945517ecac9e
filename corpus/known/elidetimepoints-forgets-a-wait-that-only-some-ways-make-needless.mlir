// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation,util.func(canonicalize),iree-util-propagate-subranges,util.func(canonicalize,convert-scf-to-cf,canonicalize,iree-util-optimize-int-arithmetic),iree-stream-elide-timepoints,util.func(canonicalize))' --mlir-print-debuginfo %s
// REQUIRES: iree-3.12 || iree-3.13
// id: elidetimepoints-forgets-a-wait-that-only-some-ways-make-needless
// title: ElideTimepoints forgets a wait that only some ways through the blocks make needless
// signature: hazard/elide-timepoints/unordered/without-wait
// check: hazard
// verdict: broken-contract
// guilty-pass: elide-timepoints
// affects: 3.11.0 not, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: memory of op17: %v14, %v15 = stream.resource.alloca uninitialized : !stream.resource<transient>{%c8} => !stream.timepoint: unordered
// issue: unreported

module {
  util.func public @main(%v0: i1, %v1: !stream.resource<transient>, %v2: i1) -> (!stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %v9, %v10 = stream.timepoint.barrier %v1 : !stream.resource<transient>{%c8} => !stream.timepoint loc("op1")
    %v11, %v12, %v13 = scf.while (%v14 = %c16, %v15 = %v9) : (index, !stream.resource<transient>) -> (index, !stream.resource<transient>, !stream.resource<transient>) {
      %v16 = "arith.cmpi"(%v14, %c0) <{predicate = 1}> : (index, index) -> (i1) loc("op4")
      scf.condition(%v16) %v14, %v1, %v15 : index, !stream.resource<transient>, !stream.resource<transient> loc("op14")
    } do {
    ^bb0(%v17: index, %v18: !stream.resource<transient>, %v19: !stream.resource<transient>):
      %v20 = stream.async.dispatch @ex::@a_rrr_n() : () -> !stream.resource<transient>{%c8} loc("op17")
      %v21 = "arith.subi"(%v17, %c1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> (index) loc("op18")
      scf.yield %v21, %v20 : index, !stream.resource<transient> loc("op19")
    } loc("op3")
    cf.cond_br %v2, ^bb3, ^bb1 loc("op22")
  ^bb1:
    cf.cond_br %v0, ^bb4, ^bb2 loc("op23")
  ^bb2:
    cf.br ^bb6(%v9 : !stream.resource<transient>) loc("op24")
  ^bb3:
    cf.br ^bb5(%v13 : !stream.resource<transient>) loc("op25")
  ^bb4:
    cf.br ^bb5(%v1 : !stream.resource<transient>) loc("op26")
  ^bb5(%v22: !stream.resource<transient>):
    cf.br ^bb6(%v22 : !stream.resource<transient>) loc("op27")
  ^bb6(%v23: !stream.resource<transient>):
    %v24 = stream.async.dispatch @ex::@a_rrr_n(%v12[%c4 to %c8 for %c4], %v13[%c4 to %c8 for %c4], %v23[%c0 to %c8 for %c8]) : (!stream.resource<transient>{%c8}, !stream.resource<transient>{%c8}, !stream.resource<transient>{%c8}) -> !stream.resource<transient>{%c16} loc("op28")
    util.return %v24 : !stream.resource<transient> loc("op31")
  }
}
