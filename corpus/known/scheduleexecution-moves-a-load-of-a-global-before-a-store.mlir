// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-schedule-execution))' --mlir-print-debuginfo %s
// id: scheduleexecution-moves-a-load-of-a-global-before-a-store
// title: ScheduleExecution moves the load of a global before the store in front of it
// signature: value/schedule-execution/changed/load/new
// check: value
// verdict: wrong-value
// guilty-pass: schedule-execution
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 16: argument 0 of @main
// actual: byte 0 of result 0 of @main: bytes 0 to 16: nobody's
// issue: unreported

module {
  util.global public mutable @g0 : !stream.resource<variable>
  util.func public @main(%v0: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c16 = arith.constant 16 : index
    %v2 = stream.async.transfer %v0 : !stream.resource<transient>{%c16} -> !stream.resource<variable>{%c16} loc("op5")
    util.global.store %v2, @g0 : !stream.resource<variable> loc("op6")
    %v3 = util.global.load @g0 : !stream.resource<variable> loc("op13")
    %v4 = stream.async.transfer %v3 : !stream.resource<variable>{%c16} from(#hal.device.affinity<@dev_d>) -> !stream.resource<transient>{%c16} loc("op14")
    util.return %v4 : !stream.resource<transient> loc("op18")
  }
}
