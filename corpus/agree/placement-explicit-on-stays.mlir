// RUN: iree-opt --iree-stream-place-transfer-executions %s | filecheck %s
// UNSUPPORTED: iree-3.11
// id: placement-explicit-on-stays
// title: An explicit on stays, also where the result is pinned to another device
// signature: agree/placement/placement-explicit-on-stays
// check: placement
// verdict: agree
// guilty-pass: none
// pass: place-transfer-executions
// affects: 3.11.0 unparsed, 3.12.0 agrees, 3.13.0 agrees
// expected: the lines below
// actual: as expected
// issue: none
// CHECK: stream.async.transfer on(#hal.device.affinity<@dev_c>) %{{.*}} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>)

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.global private @dev_c : !hal.device
  util.func public @f(%x: !stream.resource<transient>) -> (!hal.buffer_view) {
    %c16 = arith.constant 16 : index
    %t = stream.async.transfer on(#hal.device.affinity<@dev_c>) %x : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c16} loc("op0")
    %e = stream.tensor.export on(#hal.device.affinity<@dev_a>) %t : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op1")
    util.return %e : !hal.buffer_view loc("op2")
  }
}
