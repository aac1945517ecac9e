// RUN: iree-opt '--pass-pipeline=builtin.module(util.initializer(canonicalize,iree-stream-schedule-execution),util.func(iree-stream-schedule-execution))' --mlir-print-debuginfo %s
// id: scheduleexecution-moves-a-load-of-a-global-whose-memory-is-then-written-over
// title: ScheduleExecution moves a load of a global before a store, so what the global held before is written over
// signature: value/schedule-execution/written-over/handed-on
// check: value
// verdict: wrong-value
// guilty-pass: schedule-execution
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 16 of result 0 of @main: bytes 0 to 64: 01 00 00 00 01 00 00 00 01 00 00 00 01 00 00 00 …
// actual: byte 16 of result 0 of @main: bytes 0 to 64: 01 00 00 00 01 00 00 00 01 00 00 00 01 00 00 00 …
// issue: unreported

module {
  util.global public mutable @g0 : !stream.resource<variable>
  util.initializer {
    %c64 = arith.constant 64 : index
    %v1 = stream.async.constant : !stream.resource<transient>{%c64} = dense<1> : tensor<16xi32> loc("op2")
    %v2 = stream.async.transfer %v1 : !stream.resource<transient>{%c64} -> !stream.resource<variable>{%c64} loc("op3")
    util.global.store %v2, @g0 : !stream.resource<variable> loc("op4")
    util.return loc("op5")
  }
  util.func public @main() -> (!stream.resource<transient>) {
    %c7_i64 = arith.constant 7 : i64
    %c16 = arith.constant 16 : index
    %c40 = arith.constant 40 : index
    %c56 = arith.constant 56 : index
    %c64 = arith.constant 64 : index
    %v8 = util.global.load @g0 : !stream.resource<variable> loc("op6")
    %v9 = stream.async.alloca : !stream.resource<variable>{%c64} loc("op8")
    util.global.store %v9, @g0 : !stream.resource<variable> loc("op9")
    %v10 = util.global.load @g0 : !stream.resource<variable> loc("op15")
    %v11 = stream.async.fill %c7_i64, %v10[%c16 to %c56 for %c40] : i64 -> %v10 as !stream.resource<variable>{%c64} loc("op16")
    util.global.store %v11, @g0 : !stream.resource<variable> loc("op17")
    %v12 = stream.async.transfer %v8 : !stream.resource<variable>{%c64} from(#hal.device.affinity<@dev_a>) -> !stream.resource<transient>{%c64} loc("op18")
    util.return %v12 : !stream.resource<transient> loc("op33")
  }
}
