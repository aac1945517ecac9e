// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution))' %s | filecheck %s
// UNSUPPORTED: iree-3.11
// id: schedule-leaves-its-producer
// title: A transfer that executes elsewhere than its producer gets a region of its own
// signature: agree/schedule/schedule-leaves-its-producer
// check: schedule
// verdict: agree
// guilty-pass: none
// pass: schedule-execution
// affects: 3.11.0 unparsed, 3.12.0 agrees, 3.13.0 agrees
// expected: the lines below
// actual: as expected
// issue: none
// CHECK: %[[MADE:.*]], %[[DONE:.*]] = stream.async.execute on(#hal.device.affinity<@dev_b>)
// CHECK-NEXT: stream.async.dispatch
// CHECK: stream.async.execute on(#hal.device.affinity<@dev_a>) await(%[[DONE]]) => with(%[[MADE]] as
// CHECK-NEXT: stream.async.transfer %{{.*}} from(#hal.device.affinity<@dev_b>) -> !stream.resource<external>

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @f(%x: !stream.resource<transient>) -> (!stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %q = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@a_r_n(%x[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> !stream.resource<transient>{%c16} loc("op0")
    %t = stream.async.transfer on(#hal.device.affinity<@dev_a>) %q : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c16} loc("op1")
    util.return %t : !stream.resource<external> loc("op2")
  }
}
