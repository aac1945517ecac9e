// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution))' %s | filecheck %s
// id: placement-by-default
// title: Without a pin a transfer executes where its bytes come from
// signature: agree/schedule/placement-by-default
// check: schedule
// verdict: agree
// guilty-pass: none
// pass: schedule-execution
// affects: 3.11.0 agrees, 3.12.0 agrees, 3.13.0 agrees
// expected: the lines below
// actual: as expected
// issue: none
// CHECK: stream.async.execute on(#hal.device.affinity<@dev_b>)
// CHECK-NEXT: stream.async.transfer %{{.*}} -> to(#hal.device.affinity<@dev_a>)

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @f(%x: !stream.resource<transient>) -> (!stream.resource<external>) {
    %c16 = arith.constant 16 : index
    %t = stream.async.transfer %x : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c16} loc("op0")
    util.return %t : !stream.resource<external> loc("op1")
  }
}
