// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-materialize-copy-on-write,iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation,util.func(canonicalize),iree-util-propagate-subranges,util.func(canonicalize),iree-stream-automatic-reference-counting)' --mlir-print-debuginfo %s
// id: reference-counting-gives-back-what-an-scf-if-hands-on
// title: Reference counting gives back the memory that an scf.if hands on though it lives on under another name
// signature: hazard/automatic-reference-counting/given-back-too-early
// check: hazard
// verdict: broken-contract
// guilty-pass: automatic-reference-counting
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: the caller's memory: after-deallocation
// issue: unreported

module attributes {stream.affinity.default = #hal.device.affinity<@dev_a>} {
  util.func public @main(%v0: i1, %v1: index, %v2: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c60 = arith.constant 60 : index
    %c64 = arith.constant 64 : index
    %c76 = arith.constant 76 : index
    %c80 = arith.constant 80 : index
    %v9, %v10 = scf.if %v0 -> (!stream.resource<transient>, !stream.resource<transient>) {
      %v11 = stream.async.transfer %v2 : !stream.resource<transient>{%v1} -> !stream.resource<transient>{%v1} loc("op2")
      scf.yield %v11, %v2 : !stream.resource<transient>, !stream.resource<transient> loc("op3")
    } else {
      scf.yield %v2, %v2 : !stream.resource<transient>, !stream.resource<transient> loc("op4")
    } loc("op1")
    %v12 = stream.async.copy %v9[%c60 to %c76], %v2[%c64 to %c80], %c16 : !stream.resource<transient>{%v1} -> %v2 as !stream.resource<transient>{%v1} loc("op8")
    %v13 = stream.async.barrier %v12 : !stream.resource<transient>{%v1} loc("op9")
    %v14 = stream.async.dispatch @ex::@a_rrr_n(%v10[%c0 to %v1 for %v1], %v13[%c0 to %v1 for %v1]) : (!stream.resource<transient>{%v1}, !stream.resource<transient>{%v1}) -> !stream.resource<transient>{%v1} loc("op18")
    util.return %v14 : !stream.resource<transient> loc("op24")
  }
}
