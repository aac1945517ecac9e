// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-materialize-copy-on-write),iree-stream-refine-usage,iree-stream-elide-async-copies,util.func(iree-stream-schedule-execution,iree-stream-schedule-concurrency),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: memory-of-a-value-whose-transfer-became-a-clone-is-no-48144d
// title: Memory of a value whose transfer became a clone is not for the device whose kernel reads it
// signature: access/schedule-allocation/by-another-device/placed
// check: access
// verdict: broken-contract
// guilty-pass: schedule-allocation
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: a buffer is touched only by devices in its allocation's affinity, and what is pinned to one device is written only there
// actual: memory of op7: %v6, %v7 = stream.resource.alloca uninitialized on(#hal.device.affinity<@dev_b>) : !stream.resource<external>{%c8} => !stream.timepoint on #hal.d
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<*>) -> (!hal.buffer_view, !hal.buffer_view, !stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %v5 = stream.async.copy %v0[%c0 to %c4], %v0[%c4 to %c8], %c4 : !stream.resource<*>{%c8} -> %v0 as !stream.resource<*>{%c8} loc("op7")
    %v6 = stream.async.transfer %v5 : !stream.resource<*>{%c8} -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c8} loc("op9")
    %v7 = stream.async.dispatch on(#hal.device.affinity<@dev_d>) @ex::@a_rr_n(%v5[%c0 to %c8 for %c8]) : (!stream.resource<*>{%c8}) -> !stream.resource<transient>{%c16} loc("op11")
    %v8 = stream.async.transfer %v6 : !stream.resource<transient>{%c8} -> !stream.resource<external>{%c8} loc("op16")
    %v9 = stream.tensor.export %v8 : tensor<2xi32> in !stream.resource<external>{%c8} -> !hal.buffer_view loc("op17")
    %v10 = stream.async.transfer %v7 : !stream.resource<transient>{%c16} -> !stream.resource<external>{%c16} loc("op18")
    %v11 = stream.tensor.export %v10 : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op19")
    %v12 = stream.async.transfer %v5 : !stream.resource<*>{%c8} from(#hal.device.affinity<@dev_d>) -> to(#hal.device.affinity<@dev_d>) !stream.resource<external>{%c8} loc("op20")
    util.return %v9, %v11, %v12 : !hal.buffer_view, !hal.buffer_view, !stream.resource<external> loc("op21")
  }
}
