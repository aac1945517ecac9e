// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution),iree-stream-propagate-timepoints,util.func(canonicalize),iree-stream-schedule-allocation,iree-stream-emplace-transients,iree-stream-materialize-transient-size-queries)' --mlir-print-debuginfo %s
// id: transient-memory-that-the-caller-gives-is-used-by-other-devices
// title: Transient memory that the caller gives on one device is used by another
// signature: access/emplace-transients/by-another-device/lent
// check: access
// verdict: broken-contract
// guilty-pass: emplace-transients
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: a buffer is touched only by devices in its allocation's affinity, and what is pinned to one device is written only there
// actual: memory of the caller on #hal.device.affinity<@dev_a>
// issue: unreported

module {
  util.func public @main(%v0: !hal.buffer, %v1: index) -> (!stream.resource<transient>, !stream.resource<transient>) {
    %c16 = arith.constant 16 : index
    %v3 = stream.async.alloca : !stream.resource<transient>{%c16} loc("op8")
    %v4, %v5 = stream.timepoint.barrier %v3 : !stream.resource<transient>{%c16} => !stream.timepoint loc("op9")
    %v6 = stream.tensor.import on(#hal.device.affinity<@dev_a>) %v0 : !hal.buffer -> tensor<?xi8>{%v1} in !stream.resource<transient>{%v1} loc("op10")
    %v7, %v8 = stream.resource.transients await(%v5) => %v4 : !stream.resource<transient>{%c16} from %v6 : !stream.resource<transient>{%v1} => !stream.timepoint loc("op11")
    %v9 = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@b__n() : () -> !stream.resource<transient>{%c16} loc("op25")
    util.return %v9, %v7 : !stream.resource<transient>, !stream.resource<transient> loc("op28")
  }
}
