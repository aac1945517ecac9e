// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution))' %s | filecheck %s
// REQUIRES: iree-3.12 || iree-3.13
// id: barrier-behind-a-transfer-takes-away-the-affinity-of-its-reg
// title: A barrier where a transfer went joins the region where the transfer runs, which loses its affinity
// signature: execution/schedule-execution/region-without-affinity/against-barrier
// check: execution
// verdict: broken-contract
// guilty-pass: schedule-execution
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: the transfer is in a region on @dev_a
// actual: the region has no affinity
// issue: unreported
// CHECK: stream.async.execute with(
// CHECK-NEXT: stream.async.transfer on(#hal.device.affinity<@dev_a>)

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @main(%x: !stream.resource<external>) -> (!stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %t = stream.async.transfer on(#hal.device.affinity<@dev_a>) %x : !stream.resource<external>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c16} loc("op0")
    %b = stream.async.barrier on(#hal.device.affinity<@dev_b>) %t : !stream.resource<transient>{%c16} loc("op1")
    %d = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@d(%b[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> !stream.resource<external>{%c16} loc("op2")
    util.return %d : !stream.resource<external> loc("op3")
  }
}
