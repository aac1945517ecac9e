// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-materialize-copy-on-write),iree-stream-elide-async-copies,util.func(canonicalize,cse,iree-stream-schedule-execution),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: cse-makes-two-transfers-one-which-a-kernel-reads-and-writes
// title: CSE makes two transfers one, and a kernel writes in place what it reads as another operand
// signature: hazard/cse/shared
// check: hazard
// verdict: broken-contract
// guilty-pass: cse
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: memory of op3: %v3, %v4 = stream.resource.alloca uninitialized on(#hal.device.optimal<[#hal.device.affinity<@dev_b>, #hal.device.affinity<@dev_c>]>) : !stream.r
// issue: unreported

module {
  util.func public @main() -> (!stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %v3 = stream.async.alloca : !stream.resource<transient>{%c16} loc("op0")
    %v4 = stream.async.transfer %v3 : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_c>) !stream.resource<transient>{%c16} loc("op3")
    %v5 = stream.async.transfer %v4 : !stream.resource<transient>{%c16} -> !stream.resource<transient>{%c16} loc("op5")
    %v6 = stream.async.transfer %v5 : !stream.resource<transient>{%c16} -> to(#hal.device.affinity<@dev_c>) !stream.resource<transient>{%c16} loc("op6")
    %v7 = stream.async.dispatch @ex::@a_wri8f32_t(%v4[%c0 to %c12 for %c12], %v6[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}, !stream.resource<transient>{%c16}) -> %v4{%c16} loc("op7")
    util.return %v7 : !stream.resource<transient> loc("op10")
  }
}
