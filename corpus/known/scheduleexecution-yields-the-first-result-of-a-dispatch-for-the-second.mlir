// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-schedule-execution))' --mlir-print-debuginfo %s
// REQUIRES: iree-3.12 || iree-3.13
// id: scheduleexecution-yields-the-first-result-of-a-dispatch-for-the-second
// title: ScheduleExecution clones a dispatch of several results and yields the first for the second
// signature: value/schedule-execution/changed/another-value
// check: value
// verdict: wrong-value
// guilty-pass: schedule-execution
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @f0: bytes 0 to 8: binding 2 of @ex::b_rrr_n([binding 0 of @ex::b__nn(8 bytes to write, 8 bytes to write) for 4], [from byte 4 of binding 
// actual: byte 0 of result 0 of @f0: bytes 0 to 8: binding 2 of @ex::b_rrr_n([binding 0 of @ex::b__nn(8 bytes to write, 8 bytes to write) for 4], [from byte 4 of binding 
// issue: unreported

module {
  util.func public @f0() -> (!stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c52 = arith.constant 52 : index
    %c68 = arith.constant 68 : index
    %c120 = arith.constant 120 : index
    %c128 = arith.constant 128 : index
    %v7, %v8 = stream.async.dispatch @ex::@b__nn() : () -> (!stream.resource<transient>{%c8}, !stream.resource<transient>{%c8}) loc("op14")
    %v9 = stream.async.transfer on(#hal.device.affinity<@dev_a>) %v7 : !stream.resource<transient>{%c8} -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c8} loc("op15")
    %v10 = stream.async.transfer %v8 : !stream.resource<transient>{%c8} -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c8} loc("op16")
    %v11 = stream.async.dispatch @ex::@b_rrr_n(%v9[%c0 to %c4 for %c4], %v10[%c4 to %c8 for %c4]) : (!stream.resource<transient>{%c8}, !stream.resource<transient>{%c8}) -> !stream.resource<transient>{%c8} loc("op18")
    util.return %v11 : !stream.resource<transient> loc("op20")
  }
}
