// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-materialize-copy-on-write,iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// REQUIRES: iree-3.12 || iree-3.13
// id: an-update-of-a-value-that-goes-to-two-devices-runs-in-bfcf07
// title: An update of a value that goes to two devices runs in a region of no device
// signature: access/schedule-execution/by-no-device
// check: access
// verdict: broken-contract
// guilty-pass: schedule-execution
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: a buffer is touched only by devices in its allocation's affinity, and what is pinned to one device is written only there
// actual: memory of op6: %v18, %v19 = stream.resource.alloca uninitialized on(#hal.device.affinity<@dev_a>) await(%v12) => !stream.resource<external>{%c16} => !stream.tim
// issue: unreported

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @main(%v0: !stream.resource<external>, %v1: !stream.resource<transient>) -> (!stream.resource<transient>, !stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %v4 = stream.async.update %v0, %v1[%c0 to %c16] : !stream.resource<external>{%c16} -> %v1 as !stream.resource<transient>{%c16} loc("op4")
    %v5 = stream.async.transfer %v4 : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a>) -> !stream.resource<transient>{%c16} loc("op5")
    %v6 = stream.async.transfer on(#hal.device.affinity<@dev_c>) %v4 : !stream.resource<transient>{%c16} -> !stream.resource<external>{%c16} loc("op6")
    util.return %v5, %v6 : !stream.resource<transient>, !stream.resource<external> loc("op16")
  }
}
