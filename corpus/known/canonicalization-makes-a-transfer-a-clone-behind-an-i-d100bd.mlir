// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-materialize-copy-on-write),iree-stream-elide-async-copies,iree-stream-refine-usage,util.func(canonicalize))' --mlir-print-debuginfo %s
// REQUIRES: iree-3.12 || iree-3.13
// id: canonicalization-makes-a-transfer-a-clone-behind-an-i-d100bd
// title: Canonicalization makes a transfer a clone behind an in-place write of its source
// signature: value/canonicalize/written-over/reordered
// check: value
// verdict: wrong-value
// guilty-pass: canonicalize
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 32: binding 1 of @ex::a_rrr_n([argument 0 of @main for 8; from byte 4 of argument 1 of @main for 24], 32 bytes to write)
// actual: byte 0 of result 0 of @main: bytes 0 to 32: binding 1 of @ex::a_rrr_n([argument 0 of @main for 8; from byte 4 of argument 1 of @main for 20; binding 0 of @ex::b
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<external>, %v1: !stream.resource<transient>) -> (!hal.buffer_view, !stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %c28 = arith.constant 28 : index
    %c32 = arith.constant 32 : index
    %v8 = stream.async.copy %v1[%c4 to %c28], %v0[%c8 to %c32], %c24 : !stream.resource<transient>{%c32} -> %v0 as !stream.resource<external>{%c32} loc("op14")
    %v9 = stream.async.transfer %v8 : !stream.resource<external>{%c32} from(#hal.device.affinity<@dev_c>) -> to(#hal.device.affinity<@dev_c>) !stream.resource<external>{%c32} loc("op16")
    %v10 = stream.async.cast %v9 : !stream.resource<external>{%c32} -> !stream.resource<transient>{%c32} loc("op22")
    %v11 = stream.async.dispatch on(#hal.device.affinity<@dev_c>) @ex::@b_w_t(%v8[%c28 to %c32 for %c4]) : (!stream.resource<external>{%c32}) -> %v8 as !stream.resource<transient>{%c32} loc("op23")
    %v12 = stream.async.dispatch @ex::@a_rrr_n(%v10[%c0 to %c32 for %c32]) : (!stream.resource<transient>{%c32}) -> !stream.resource<external>{%c32} loc("op32")
    %v13 = stream.tensor.export %v12 : tensor<8xi32> in !stream.resource<external>{%c32} -> !hal.buffer_view loc("op38")
    util.return %v13, %v11 : !hal.buffer_view, !stream.resource<transient> loc("op39")
  }
}
