// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-materialize-copy-on-write,iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: copy-on-write-lets-a-loop-write-what-it-carries
// title: Copy-on-write lets a kernel in a loop write in place what the loop carries to it
// signature: hazard/copy-on-write/overlapping/handed-on
// check: hazard
// verdict: broken-contract
// guilty-pass: copy-on-write
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: memory of op8: %v10, %v11 = stream.resource.alloca uninitialized : !stream.resource<transient>{%c32} => !stream.timepoint: overlapping
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>, %v1: !stream.resource<transient>) -> (index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %v8 = stream.async.copy %v1[%c4 to %c16], %v0[%c0 to %c12], %c12 : !stream.resource<transient>{%c32} -> %v0 as !stream.resource<transient>{%c32} loc("op8")
    %v9, %v10 = scf.while (%v11 = %c16, %v12 = %v1) : (index, !stream.resource<transient>) -> (index, !stream.resource<transient>) {
      %v13 = "arith.cmpi"(%v11, %c0) <{predicate = 1}> : (index, index) -> (i1) loc("op14")
      scf.condition(%v13) %v11, %v12 : index, !stream.resource<transient> loc("op15")
    } do {
    ^bb0(%v14: index, %v15: !stream.resource<transient>):
      %v16 = stream.async.dispatch @ex::@a_wr_t(%v8[%c16 to %c32 for %c16], %v15[%c0 to %c32 for %c32]) : (!stream.resource<transient>{%c32}, !stream.resource<transient>{%c32}) -> %v8{%c32} loc("op16")
      %v17 = "arith.subi"(%v14, %c1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> (index) loc("op17")
      scf.yield %v17, %v16 : index, !stream.resource<transient> loc("op18")
    } loc("op13")
    util.return %v9 : index loc("op30")
  }
}
