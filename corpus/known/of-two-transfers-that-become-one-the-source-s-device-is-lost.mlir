// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: of-two-transfers-that-become-one-the-source-s-device-is-lost
// title: Of two transfers that become one the device that bytes come from is lost: nothing is flushed or invalidated
// signature: hazard/schedule-allocation/not-flushed/copy/cross-device
// check: hazard
// verdict: broken-contract
// guilty-pass: schedule-allocation
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: memory of op5: %v7, %v8 = stream.resource.alloca uninitialized on(#hal.device.optimal<[#hal.device.affinity<@dev_a>, #hal.device.affinity<@dev_c>]>) : !stream.r
// issue: unreported

module {
  util.func public @main() -> (!stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c48 = arith.constant 48 : index
    %c56 = arith.constant 56 : index
    %c64 = arith.constant 64 : index
    %v8 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@a_r_n() : () -> !stream.resource<transient>{%c64} loc("op5")
    %v9 = stream.async.alloca : !stream.resource<transient>{%c64} loc("op6")
    %v10, %v11 = scf.while (%v12 = %c16, %v13 = %v9) : (index, !stream.resource<transient>) -> (index, !stream.resource<transient>) {
      %v14 = "arith.cmpi"(%v12, %c0) <{predicate = 1}> : (index, index) -> (i1) loc("op9")
      scf.condition(%v14) %v12, %v13 : index, !stream.resource<transient> loc("op10")
    } do {
    ^bb0(%v15: index, %v16: !stream.resource<transient>):
      %v17 = stream.async.transfer %v8 : !stream.resource<transient>{%c64} -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c64} loc("op11")
      %v18 = stream.async.transfer %v17 : !stream.resource<transient>{%c64} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_c>) !stream.resource<transient>{%c64} loc("op12")
      %v19 = stream.async.dispatch on(#hal.device.affinity<@dev_c>) @ex::@b_rrf32_n(%v18[%c48 to %c56 for %c8]) : (!stream.resource<transient>{%c64}) -> !stream.resource<transient>{%c16} loc("op13")
      %v20 = "arith.subi"(%v15, %c1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> (index) loc("op14")
      scf.yield %v20, %v19 : index, !stream.resource<transient> loc("op15")
    } loc("op8")
    util.return %v11 : !stream.resource<transient> loc("op17")
  }
}
