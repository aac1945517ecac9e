// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution))' %s | filecheck %s
// id: schedule-joins-its-producer
// title: A transfer joins the region of its producer where both execute on one device
// signature: agree/schedule/schedule-joins-its-producer
// check: schedule
// verdict: agree
// guilty-pass: none
// pass: schedule-execution
// affects: 3.11.0 agrees, 3.12.0 agrees, 3.13.0 agrees
// expected: the lines below
// actual: as expected
// issue: none
// CHECK: stream.async.execute on(#hal.device.affinity<@dev_b>)
// CHECK-NEXT: stream.async.dispatch
// CHECK-NEXT: stream.async.transfer
// CHECK-NOT: stream.async.execute

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @f(%x: !stream.resource<transient>) -> (!stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %q = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@a_r_n(%x[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> !stream.resource<transient>{%c16} loc("op0")
    %t = stream.async.transfer %q : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c16} loc("op1")
    util.return %t : !stream.resource<external> loc("op2")
  }
}
