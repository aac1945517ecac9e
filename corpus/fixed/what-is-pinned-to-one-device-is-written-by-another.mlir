// RUN: iree-opt --iree-stream-transformation-pipeline %s | filecheck %s
// UNSUPPORTED: iree-3.11
// id: what-is-pinned-to-one-device-is-written-by-another
// title: What is exported on one device is written by the other, on which the transfer executes
// signature: access/schedule-execution/off-the-pin/copy/placed-ends
// check: access
// verdict: broken-contract
// guilty-pass: schedule-execution
// affects: 3.11.0 shows, 3.12.0 not, 3.13.0 not
// fixed-in: 3.12.0
// expected: a buffer is touched only by devices in its allocation's affinity, and what is pinned to one device is written only there
// actual: the copy into memory that is allocated on @dev_a executes on @dev_b
// issue: https://github.com/iree-org/iree/issues/21361
// CHECK: stream.resource.alloca uninitialized on(#hal.device.affinity<@dev_a>) {{.*}}!stream.resource<external>
// CHECK: stream.cmd.execute on(#hal.device.affinity<@dev_a>)
// CHECK: stream.cmd.copy

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @main(%v0: !stream.resource<transient>) -> (!hal.buffer_view) {
    %c16 = arith.constant 16 : index
    %v2 = stream.async.transfer %v0 : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c16} loc("op0")
    %v3 = stream.tensor.export on(#hal.device.affinity<@dev_a>) %v2 : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op1")
    util.return %v3 : !hal.buffer_view loc("op2")
  }
}
