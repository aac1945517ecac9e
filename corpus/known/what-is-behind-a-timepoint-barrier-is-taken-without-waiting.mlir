// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution))' %s | filecheck %s
// id: what-is-behind-a-timepoint-barrier-is-taken-without-waiting
// title: What is behind a timepoint barrier is taken without waiting
// signature: coverage/schedule-execution/use-without-wait/behind-a-timepoint-barrier
// check: coverage
// verdict: broken-contract
// guilty-pass: schedule-execution
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the second region waits for the first, whose result it takes
// actual: it waits for nothing: ChainTimepoints replaces the barrier by a value that nobody awaited, for all its users
// issue: unreported
// CHECK: stream.timepoint.export
// CHECK: stream.async.execute on(#hal.device.affinity<@dev_a>) with(%results

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @main(%x: !stream.resource<external>) -> (!stream.resource<external>, !hal.fence) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %d = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@d(%x[%c0 to %c16 for %c16]) : (!stream.resource<external>{%c16}) -> !stream.resource<external>{%c16} loc("op0")
    %b, %t = stream.timepoint.barrier on(#hal.device.affinity<@dev_a>) %d : !stream.resource<external>{%c16} => !stream.timepoint loc("op1")
    %f = stream.timepoint.export on(#hal.device.affinity<@dev_a>) %t => (!hal.fence) loc("op2")
    %e = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@d(%b[%c0 to %c16 for %c16]) : (!stream.resource<external>{%c16}) -> !stream.resource<external>{%c16} loc("op3")
    util.return %e, %f : !stream.resource<external>, !hal.fence loc("op4")
  }
}
