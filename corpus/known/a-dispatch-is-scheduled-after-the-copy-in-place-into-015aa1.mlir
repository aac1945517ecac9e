// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-materialize-copy-on-write),iree-stream-elide-async-copies,util.func(iree-stream-schedule-execution))' --mlir-print-debuginfo %s
// id: a-dispatch-is-scheduled-after-the-copy-in-place-into-015aa1
// title: A dispatch is scheduled after the copy in place into what it reads
// signature: value/schedule-execution/written-over/reordered
// check: value
// verdict: wrong-value
// guilty-pass: schedule-execution
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 64: binding 1 of @ex::a_rr_n([ff ff ff ff for 4], 64 bytes to write)
// actual: byte 0 of result 0 of @main: bytes 0 to 64: binding 1 of @ex::a_rr_n([from byte 48 of argument 0 of @main for 4], 64 bytes to write)
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>) -> (!hal.buffer_view, !stream.resource<external>, !stream.resource<transient>) {
    %cn1_i32 = arith.constant -1 : i32
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %c20 = arith.constant 20 : index
    %c48 = arith.constant 48 : index
    %c60 = arith.constant 60 : index
    %c64 = arith.constant 64 : index
    %v10 = stream.async.splat %cn1_i32 : i32 -> !stream.resource<transient>{%c64} loc("op0")
    %v11 = stream.async.transfer %v10 : !stream.resource<transient>{%c64} -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c64} loc("op5")
    %v12 = stream.async.dispatch @ex::@a_rr_n(%v11[%c8 to %c12 for %c4]) : (!stream.resource<transient>{%c64}) -> !stream.resource<external>{%c64} loc("op7")
    %v13 = stream.async.copy %v0[%c48 to %c60], %v11[%c8 to %c20], %c12 : !stream.resource<transient>{%c64} -> %v11 as !stream.resource<transient>{%c64} loc("op17")
    %v14 = stream.async.transfer %v13 : !stream.resource<transient>{%c64} from(#hal.device.affinity<@dev_b>) -> !stream.resource<transient>{%c64} loc("op22")
    %v15 = stream.async.transfer %v13 : !stream.resource<transient>{%c64} from(#hal.device.affinity<@dev_b>) -> !stream.resource<transient>{%c64} loc("op23")
    %v16 = stream.tensor.export %v12 : tensor<16xi32> in !stream.resource<external>{%c64} -> !hal.buffer_view loc("op27")
    %v17 = stream.async.transfer %v14 : !stream.resource<transient>{%c64} -> to(#hal.device.affinity<@dev_b>) !stream.resource<external>{%c64} loc("op31")
    util.return %v16, %v17, %v15 : !hal.buffer_view, !stream.resource<external>, !stream.resource<transient> loc("op33")
  }
}
