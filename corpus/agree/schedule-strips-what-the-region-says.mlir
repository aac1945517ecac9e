// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution))' %s | filecheck %s
// UNSUPPORTED: iree-3.11
// id: schedule-strips-what-the-region-says
// title: In a region a transfer loses the on and the from that are the region's
// signature: agree/schedule/schedule-strips-what-the-region-says
// check: schedule
// verdict: agree
// guilty-pass: none
// pass: schedule-execution
// affects: 3.11.0 unparsed, 3.12.0 agrees, 3.13.0 agrees
// expected: the lines below
// actual: as expected
// issue: none
// CHECK: stream.async.execute on(#hal.device.affinity<@dev_b>)
// CHECK: stream.async.dispatch @ex::@a_r_n
// CHECK: stream.async.transfer %{{[0-9a-z]+}} : !stream.resource<transient>{%c16} -> to(#hal.device.affinity<@dev_a>)

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @f(%x: !stream.resource<transient>) -> (!stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %q = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@a_r_n(%x[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> !stream.resource<transient>{%c16} loc("op0")
    %t = stream.async.transfer on(#hal.device.affinity<@dev_b>) %q : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c16} loc("op1")
    util.return %t : !stream.resource<external> loc("op2")
  }
}
