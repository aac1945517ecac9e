// RUN: iree-opt --iree-stream-transformation-pipeline %s | filecheck %s
// UNSUPPORTED: iree-3.11
// id: value-two-transfers-that-become-one
// title: Two transfers in a wave that are made one fill the memory of both
// signature: agree/value/value-two-transfers-that-become-one
// check: value
// verdict: agree
// guilty-pass: none
// pass: schedule-allocation
// affects: 3.11.0 unparsed, 3.12.0 agrees, 3.13.0 agrees
// expected: the lines below
// actual: as expected
// issue: none
// CHECK: stream.cmd.copy
// CHECK-NOT: stream.cmd.copy
// CHECK: stream.cmd.dispatch

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @f(%x: !stream.resource<external>) -> (!stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %q = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@a_r_n(%x[%c0 to %c16 for %c16]) : (!stream.resource<external>{%c16}) -> !stream.resource<transient>{%c16} loc("op0")
    %t = stream.async.transfer %q : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c16} loc("op1")
    %u = stream.async.transfer on(#hal.device.affinity<@dev_b>) %q : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c16} loc("op2")
    %y = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@a_rr_n(%t[%c0 to %c4 for %c4], %u[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}, !stream.resource<transient>{%c16}) -> !stream.resource<external>{%c16} loc("op3")
    util.return %y : !stream.resource<external> loc("op4")
  }
}
