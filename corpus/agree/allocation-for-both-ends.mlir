// RUN: iree-opt --iree-stream-transformation-pipeline %s | filecheck %s
// UNSUPPORTED: iree-3.11
// id: allocation-for-both-ends
// title: What one device writes and a transfer on another reads is allocated for both
// signature: agree/allocation/allocation-for-both-ends
// check: allocation
// verdict: agree
// guilty-pass: none
// pass: schedule-allocation
// affects: 3.11.0 unparsed, 3.12.0 agrees, 3.13.0 agrees
// expected: the lines below
// actual: as expected
// issue: none
// CHECK: stream.resource.alloca uninitialized on(#hal.device.optimal<[#hal.device.affinity<@dev_a>, #hal.device.affinity<@dev_b>]>) : !stream.resource<transient>
// CHECK: stream.resource.alloca uninitialized on(#hal.device.affinity<@dev_a>) {{.*}}!stream.resource<external>

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @f(%x: !stream.resource<transient>) -> (!hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %q = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@a_r_n(%x[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> !stream.resource<transient>{%c16} loc("op0")
    %t = stream.async.transfer on(#hal.device.affinity<@dev_a>) %q : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c16} loc("op1")
    %e = stream.tensor.export on(#hal.device.affinity<@dev_a>) %t : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op2")
    util.return %e : !hal.buffer_view loc("op3")
  }
}
