// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution))' %s | filecheck %s
// id: placement-to-staging
// title: A transfer to staging executes where its bytes come from
// signature: agree/schedule/placement-to-staging
// check: schedule
// verdict: agree
// guilty-pass: none
// pass: schedule-execution
// affects: 3.11.0 agrees, 3.12.0 agrees, 3.13.0 agrees
// expected: the lines below
// actual: as expected
// issue: none
// CHECK: stream.async.execute on(#hal.device.affinity<@dev_a>)
// CHECK-NEXT: stream.async.transfer %{{.*}} -> to(#hal.device.affinity<@dev_b>) !stream.resource<staging>

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @f(%x: !stream.resource<transient>) -> (i32) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %t = stream.async.transfer %x : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<staging>{%c16} loc("op0")
    %v = stream.async.load %t[%c0] : !stream.resource<staging>{%c16} -> i32 loc("op1")
    util.return %v : i32 loc("op2")
  }
}
