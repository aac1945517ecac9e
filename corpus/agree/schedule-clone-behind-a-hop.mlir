// RUN: iree-opt --iree-stream-transformation-pipeline %s | filecheck %s
// UNSUPPORTED: iree-3.11
// id: schedule-clone-behind-a-hop
// title: A value that is sent on and also returned: the copy on the other device has a region of its own (issue 21654)
// signature: agree/schedule/schedule-clone-behind-a-hop
// check: schedule
// verdict: agree
// guilty-pass: none
// pass: schedule-execution
// affects: 3.11.0 not, 3.12.0 agrees, 3.13.0 agrees
// expected: the lines below
// actual: as expected
// issue: none
// CHECK: stream.cmd.execute on(#hal.device.affinity<@dev_b>)
// CHECK: stream.cmd.dispatch @ex::@a_r_n
// CHECK: stream.cmd.execute on(#hal.device.affinity<@dev_a>)

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @f() -> (!hal.buffer_view, !hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c7_i32 = arith.constant 7 : i32
    %c16 = arith.constant 16 : index
    %s = stream.async.splat on(#hal.device.affinity<@dev_b>) %c7_i32 : i32 -> !stream.resource<transient>{%c16} loc("op0")
    %d = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@a_r_n(%s[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> !stream.resource<transient>{%c16} loc("op1")
    %t = stream.async.transfer %d : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c16} loc("op2")
    %y = stream.async.transfer %t : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c16} loc("op3")
    %o = stream.tensor.export on(#hal.device.affinity<@dev_a>) %y : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op4")
    %z = stream.async.transfer %d : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<external>{%c16} loc("op5")
    %q = stream.tensor.export on(#hal.device.affinity<@dev_b>) %z : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op6")
    util.return %o, %q : !hal.buffer_view, !hal.buffer_view loc("op7")
  }
}
