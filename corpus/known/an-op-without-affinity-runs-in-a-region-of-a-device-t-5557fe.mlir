// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// REQUIRES: iree-3.12 || iree-3.13
// id: an-op-without-affinity-runs-in-a-region-of-a-device-t-5557fe
// title: An op without affinity runs in a region of a device that its memory is not for
// signature: access/schedule-allocation/by-another-device/unplaced
// check: access
// verdict: broken-contract
// guilty-pass: schedule-allocation
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: a buffer is touched only by devices in its allocation's affinity, and what is pinned to one device is written only there
// actual: memory of op4: %v6, %v7 = stream.resource.alloca uninitialized on(#hal.device.affinity<@dev_b>) : !stream.resource<external>{%c64} => !stream.timepoint on #hal.
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>) -> (!hal.buffer_view) {
    %c8 = arith.constant 8 : index
    %c44 = arith.constant 44 : index
    %c52 = arith.constant 52 : index
    %c64 = arith.constant 64 : index
    %v5 = stream.async.transfer on(#hal.device.affinity<@dev_c>) %v0 : !stream.resource<transient>{%c64} -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c64} loc("op4")
    %v6 = stream.async.dispatch @ex::@b_w_t(%v5[%c44 to %c52 for %c8]) : (!stream.resource<transient>{%c64}) -> %v5 as !stream.resource<external>{%c64} loc("op33")
    %v7 = stream.tensor.export on(#hal.device.affinity<@dev_b>) %v6 : tensor<?xi8>{%c64} in !stream.resource<external>{%c64} -> !hal.buffer_view loc("op34")
    util.return %v7 : !hal.buffer_view loc("op38")
  }
}
