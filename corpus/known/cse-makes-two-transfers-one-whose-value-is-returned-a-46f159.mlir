// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-schedule-execution,iree-stream-schedule-concurrency),iree-stream-propagate-timepoints,util.func(canonicalize,cse,iree-util-apply-patterns))' --mlir-print-debuginfo %s
// id: cse-makes-two-transfers-one-whose-value-is-returned-a-46f159
// title: CSE makes two transfers one whose value is returned and written in place
// signature: value/cse/written-over/shared
// check: value
// verdict: wrong-value
// guilty-pass: cse
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 1 of @main: bytes 0 to 16: argument 0 of @main
// actual: byte 0 of result 1 of @main: bytes 0 to 16: argument 1 of @main
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<external>, %v1: !stream.resource<transient>) -> (!hal.buffer_view, !stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %v5 = stream.async.transfer %v0 : !stream.resource<external>{%c16} from(#hal.device.affinity<@dev_c>) -> !stream.resource<external>{%c16} loc("op2")
    %v6 = stream.async.transfer %v0 : !stream.resource<external>{%c16} from(#hal.device.affinity<@dev_c>) -> !stream.resource<transient>{%c16} loc("op3")
    %v7 = stream.async.transfer %v6 : !stream.resource<transient>{%c16} -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c16} loc("op6")
    %v8 = stream.async.copy %v1[%c0 to %c16], %v7[%c0 to %c16], %c16 : !stream.resource<transient>{%c16} -> %v7 as !stream.resource<external>{%c16} loc("op10")
    %v9 = stream.tensor.export %v8 : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op15")
    util.return %v9, %v5 : !hal.buffer_view, !stream.resource<external> loc("op17")
  }
}
