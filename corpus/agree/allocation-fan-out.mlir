// RUN: iree-opt --iree-stream-transformation-pipeline %s | filecheck %s
// id: allocation-fan-out
// title: A value that is sent to two devices is allocated for each apart
// signature: agree/allocation/allocation-fan-out
// check: allocation
// verdict: agree
// guilty-pass: none
// pass: schedule-allocation
// affects: 3.11.0 agrees, 3.12.0 agrees, 3.13.0 agrees
// expected: the lines below
// actual: as expected
// issue: none
// CHECK: stream.resource.alloca uninitialized on(#hal.device.optimal<[#hal.device.affinity<@dev_a>, #hal.device.affinity<@dev_b>]>)
// CHECK: stream.resource.alloca uninitialized on(#hal.device.optimal<[#hal.device.affinity<@dev_a>, #hal.device.affinity<@dev_c>]>)

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.global private @dev_c : !hal.device
  util.func public @f(%x: !stream.resource<transient>) -> (!stream.resource<external>, !stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %q = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@a_r_n(%x[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> !stream.resource<transient>{%c16} loc("op0")
    %t = stream.async.transfer %q : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c16} loc("op1")
    %u = stream.async.transfer %q : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_c>) !stream.resource<transient>{%c16} loc("op2")
    %y = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@a_r_n(%t[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> !stream.resource<external>{%c16} loc("op3")
    %z = stream.async.dispatch on(#hal.device.affinity<@dev_c>) @ex::@a_r_n(%u[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> !stream.resource<external>{%c16} loc("op4")
    util.return %y, %z : !stream.resource<external>, !stream.resource<external> loc("op5")
  }
}
