// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-materialize-copy-on-write),iree-stream-elide-async-copies,util.func(iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: copy-elision-makes-a-copy-s-source-its-target-which-an-if-hands-on
// title: Copy elision makes a copy's source its target where an if hands on the storage
// signature: hazard/elide-async-copies/overlapping/handed-on
// check: hazard
// verdict: broken-contract
// guilty-pass: elide-async-copies
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: memory of op2: %v5, %v6 = stream.resource.alloca uninitialized : !stream.resource<transient>{%c16} => !stream.timepoint: overlapping
// issue: unreported

module {
  util.func public @main(%v0: i1) -> (!stream.resource<transient>, !stream.resource<transient>) {
    %c85_i32 = arith.constant 85 : i32
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %v5 = stream.async.alloca : !stream.resource<transient>{%c16} loc("op2")
    %v6 = stream.async.transfer %v5 : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a>) -> !stream.resource<transient>{%c16} loc("op3")
    %v7 = stream.async.transfer %v6 : !stream.resource<transient>{%c16} -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c16} loc("op4")
    %v8 = scf.if %v0 -> (!stream.resource<transient>) {
      scf.yield %v5 : !stream.resource<transient> loc("op8")
    } else {
      %v9 = stream.async.alloca : !stream.resource<transient>{%c16} loc("op11")
      scf.yield %v9 : !stream.resource<transient> loc("op12")
    } loc("op6")
    %v10 = stream.async.transfer %v8 : !stream.resource<transient>{%c16} -> !stream.resource<transient>{%c16} loc("op13")
    %v11 = stream.async.fill %c85_i32, %v8[%c8 to %c16 for %c8] : i32 -> %v8 as !stream.resource<transient>{%c16} loc("op14")
    %v12 = stream.async.update %v7, %v11[%c0 to %c16] : !stream.resource<transient>{%c16} -> %v11 as !stream.resource<transient>{%c16} loc("op15")
    util.return %v10, %v12 : !stream.resource<transient>, !stream.resource<transient> loc("op25")
  }
}
