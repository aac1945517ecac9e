// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution))' %s | filecheck %s
// REQUIRES: iree-3.12 || iree-3.13
// id: two-transfers-of-an-op-without-affinity-take-away-the-affini
// title: Two transfers on different devices join the region of an op without affinity, which has none then
// signature: execution/schedule-execution/region-without-affinity/against-transfer
// check: execution
// verdict: broken-contract
// guilty-pass: schedule-execution
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: each transfer is in a region on the device that its on(...) names
// actual: both are in one region, which has no affinity
// issue: unreported
// CHECK: stream.async.execute with(
// CHECK: stream.async.transfer on(#hal.device.affinity<@dev_a>)
// CHECK-NEXT: stream.async.transfer on(#hal.device.affinity<@dev_b>)

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @main(%x: !stream.resource<external>) -> (!stream.resource<external>, !stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %d = stream.async.dispatch @ex::@d(%x[%c0 to %c16 for %c16]) : (!stream.resource<external>{%c16}) -> !stream.resource<transient>{%c16} loc("op0")
    %t = stream.async.transfer on(#hal.device.affinity<@dev_a>) %d : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<external>{%c16} loc("op1")
    %u = stream.async.transfer on(#hal.device.affinity<@dev_b>) %d : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<external>{%c16} loc("op2")
    util.return %t, %u : !stream.resource<external>, !stream.resource<external> loc("op3")
  }
}
