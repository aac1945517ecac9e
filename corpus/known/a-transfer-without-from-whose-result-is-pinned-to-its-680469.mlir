// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: a-transfer-without-from-whose-result-is-pinned-to-its-680469
// title: A transfer without from whose result is pinned to its target is made by another device
// signature: access/schedule-execution/off-the-pin/copy/unplaced-end
// check: access
// verdict: broken-contract
// guilty-pass: schedule-execution
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: a buffer is touched only by devices in its allocation's affinity, and what is pinned to one device is written only there
// actual: memory of op31: %v6, %v7 = stream.resource.alloca uninitialized on(#hal.device.affinity<@dev_c>) : !stream.resource<external>{%c128} => !stream.timepoint on #ha
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>) -> (!hal.buffer_view, !hal.buffer_view) {
    %c16 = arith.constant 16 : index
    %c128 = arith.constant 128 : index
    %v3 = stream.async.alloca on(#hal.device.affinity<@dev_b>) : !stream.resource<external>{%c16} loc("op20")
    %v4 = stream.tensor.export %v3 : tensor<?xi8>{%c16} in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op30")
    %v5 = stream.async.transfer %v0 : !stream.resource<transient>{%c128} -> to(#hal.device.affinity<@dev_c>) !stream.resource<external>{%c128} loc("op31")
    %v6 = stream.tensor.export on(#hal.device.affinity<@dev_c>) %v5 : tensor<32xi32> in !stream.resource<external>{%c128} -> !hal.buffer_view loc("op32")
    util.return %v4, %v6 : !hal.buffer_view, !hal.buffer_view loc("op33")
  }
}
