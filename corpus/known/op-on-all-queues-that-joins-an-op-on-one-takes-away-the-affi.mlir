// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution))' %s | filecheck %s
// REQUIRES: iree-3.12 || iree-3.13
// id: op-on-all-queues-that-joins-an-op-on-one-takes-away-the-affi
// title: An op on one queue that joins a region on all queues of the device takes away the region's affinity
// signature: execution/schedule-execution/region-without-affinity/against-another-queue
// check: execution
// verdict: broken-contract
// guilty-pass: schedule-execution
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: the region is on queue 0 of @dev_a, or there are two regions
// actual: the region has no affinity: what joins is asked in one direction, the affinities are joined in the other
// issue: unreported
// CHECK: stream.async.execute with(

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @main(%x: !stream.resource<external>) -> (!stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %t = stream.async.transfer on(#hal.device.affinity<@dev_a, [0]>) %x : !stream.resource<external>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c16} loc("op0")
    %d = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@d(%t[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> !stream.resource<external>{%c16} loc("op1")
    util.return %d : !stream.resource<external> loc("op2")
  }
}
