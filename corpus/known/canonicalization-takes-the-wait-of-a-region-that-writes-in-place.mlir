// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-materialize-copy-on-write),iree-stream-elide-async-copies,util.func(iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: canonicalization-takes-the-wait-of-a-region-that-writes-in-place
// title: Canonicalization takes the wait of a region that writes in place what another still reads
// signature: hazard/canonicalize/unordered/written-in-place
// check: hazard
// verdict: broken-contract
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: memory of op0~5: %v36, %v37 = stream.resource.alloca uninitialized : !stream.resource<transient>{%c64} => !stream.timepoint: unordered
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>) -> (!stream.resource<transient>, !stream.resource<transient>) {
    %cn1_i16 = arith.constant -1 : i16
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c10 = arith.constant 10 : index
    %c16 = arith.constant 16 : index
    %c20 = arith.constant 20 : index
    %c28 = arith.constant 28 : index
    %c32 = arith.constant 32 : index
    %c34 = arith.constant 34 : index
    %c36 = arith.constant 36 : index
    %c44 = arith.constant 44 : index
    %c60 = arith.constant 60 : index
    %c64 = arith.constant 64 : index
    %v17 = stream.async.constant : !stream.resource<transient>{%c64} = dense<6> : tensor<16xi32> loc("op0")
    %v18 = stream.async.transfer %v17 : !stream.resource<transient>{%c64} -> !stream.resource<transient>{%c64} loc("op1")
    %v19 = stream.async.alloca : !stream.resource<transient>{%c64} loc("op4")
    %v20 = stream.async.transfer %v18 : !stream.resource<transient>{%c64} -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c64} loc("op8")
    %v21, %v22 = scf.while (%v23 = %c16) : (index) -> (index, !stream.resource<transient>) {
      %v24 = "arith.cmpi"(%v23, %c0) <{predicate = 1}> : (index, index) -> (i1) loc("op13")
      scf.condition(%v24) %v23, %v18 : index, !stream.resource<transient> loc("op14")
    } do {
    ^bb0(%v25: index, %v26: !stream.resource<transient>):
      %v27 = stream.async.dispatch @ex::@a_rrri8_n(%v0[%c0 to %c64 for %c64]) : (!stream.resource<transient>{%c64}) -> !stream.resource<transient>{%c64} loc("op18")
      %v28 = "arith.subi"(%v25, %c1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> (index) loc("op19")
      scf.yield %v28 : index loc("op20")
    } loc("op12")
    %v29 = stream.async.transfer %v22 : !stream.resource<transient>{%c64} -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c64} loc("op21")
    %v30 = stream.async.fill on(#hal.device.affinity<@dev_a>) %cn1_i16, %v22[%c10 to %c44 for %c34] : i16 -> %v22 as !stream.resource<transient>{%c64} loc("op22")
    %v31, %v32, %v33 = scf.while (%v34 = %c3, %v35 = %v19, %v36 = %v0) : (index, !stream.resource<transient>, !stream.resource<transient>) -> (index, !stream.resource<transient>, !stream.resource<transient>) {
      %v37 = "arith.cmpi"(%v34, %c0) <{predicate = 1}> : (index, index) -> (i1) loc("op24")
      scf.condition(%v37) %v34, %v35, %v36 : index, !stream.resource<transient>, !stream.resource<transient> loc("op28")
    } do {
    ^bb0(%v38: index, %v39: !stream.resource<transient>, %v40: !stream.resource<transient>):
      %v41 = stream.async.dispatch @ex::@a_rr_n(%v39[%c44 to %c64 for %c20]) : (!stream.resource<transient>{%c64}) -> !stream.resource<transient>{%c64} loc("op30")
      %v42 = "arith.subi"(%v38, %c1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> (index) loc("op31")
      scf.yield %v42, %v41, %v20 : index, !stream.resource<transient>, !stream.resource<transient> loc("op32")
    } loc("op23")
    %v43 = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@a_rr_n(%v33[%c28 to %c60 for %c32], %v29[%c32 to %c36 for %c4]) : (!stream.resource<transient>{%c64}, !stream.resource<transient>{%c64}) -> !stream.resource<transient>{%c16} loc("op33")
    util.return %v43, %v30 : !stream.resource<transient>, !stream.resource<transient> loc("op42")
  }
}
