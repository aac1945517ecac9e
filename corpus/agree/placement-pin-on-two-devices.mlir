// RUN: iree-opt --iree-stream-place-transfer-executions %s | filecheck %s
// UNSUPPORTED: iree-3.11
// id: placement-pin-on-two-devices
// title: A result that is exported on two devices pins its transfer to none of them
// signature: agree/placement/placement-pin-on-two-devices
// check: placement
// verdict: agree
// guilty-pass: none
// pass: place-transfer-executions
// affects: 3.11.0 not, 3.12.0 agrees, 3.13.0 agrees
// expected: the lines below
// actual: as expected
// issue: none
// CHECK-NOT: stream.async.transfer on(
// CHECK: stream.async.transfer %{{.*}} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>)

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @f(%x: !stream.resource<transient>) -> (!hal.buffer_view, !hal.buffer_view) {
    %c16 = arith.constant 16 : index
    %t = stream.async.transfer %x : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c16} loc("op0")
    %e = stream.tensor.export on(#hal.device.affinity<@dev_a>) %t : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op1")
    %g = stream.tensor.export on(#hal.device.affinity<@dev_b>) %t : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op2")
    util.return %e, %g : !hal.buffer_view, !hal.buffer_view loc("op3")
  }
}
