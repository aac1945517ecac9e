// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-materialize-copy-on-write),iree-stream-elide-async-copies,util.func(canonicalize))' --mlir-print-debuginfo %s
// id: canonicalization-drops-the-copy-that-an-update-in-pla-82790b
// title: Canonicalization drops the copy that an update in place was kept from a reader by
// signature: value/canonicalize/written-over/read-without-transfer/directly
// check: value
// verdict: wrong-value
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 64: binding 2 of @ex::a_rrr_n([ff ff ff ff for 4; from byte 12 of argument 0 of @main for 4; argument 1 of @main for 8],
// actual: byte 0 of result 0 of @main: bytes 0 to 64: binding 2 of @ex::a_rrr_n([ff ff ff ff for 4; from byte 12 of argument 0 of @main for 4; argument 1 of @main for 8],
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>, %v1: !stream.resource<transient>) -> (!hal.buffer_view) {
    %cn1_i32 = arith.constant -1 : i32
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %v9 = stream.async.splat %cn1_i32 : i32 -> !stream.resource<transient>{%c16} loc("op0")
    %v10 = stream.async.copy %v0[%c12 to %c16], %v9[%c4 to %c8], %c4 : !stream.resource<transient>{%c16} -> %v9 as !stream.resource<transient>{%c16} loc("op3")
    %v11 = stream.async.transfer %v10 : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a>) -> !stream.resource<transient>{%c16} loc("op4")
    %v12 = stream.async.clone %v11 : !stream.resource<transient>{%c16} -> !stream.resource<transient>{%c16} loc("op5")
    %v13 = stream.async.transfer %v12 : !stream.resource<transient>{%c16} -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c16} loc("op14")
    %v14 = stream.async.update %v1, %v10[%c8 to %c16] : !stream.resource<transient>{%c8} -> %v10 as !stream.resource<transient>{%c16} loc("op19")
    %v15 = stream.async.dispatch @ex::@a_rrr_n(%v14[%c0 to %c16 for %c16], %v13[%c12 to %c16 for %c4]) : (!stream.resource<transient>{%c16}, !stream.resource<transient>{%c16}) -> !stream.resource<external>{%c64} loc("op23")
    %v16 = stream.tensor.export %v15 : tensor<16xi32> in !stream.resource<external>{%c64} -> !hal.buffer_view loc("op28")
    util.return %v16 : !hal.buffer_view loc("op29")
  }
}
