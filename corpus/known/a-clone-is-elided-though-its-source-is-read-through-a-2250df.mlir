// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-materialize-copy-on-write),iree-stream-elide-async-copies)' --mlir-print-debuginfo %s
// id: a-clone-is-elided-though-its-source-is-read-through-a-2250df
// title: A clone is elided though its source is read through a barrier
// signature: value/elide-async-copies/written-over/aliased
// check: value
// verdict: wrong-value
// guilty-pass: elide-async-copies
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 128: binding 2 of @ex::b_rrrf32_n([from byte 12 of binding 1 of @ex::b_wrri8_tn([from byte 36 of argument 0 of @main for
// actual: byte 0 of result 0 of @main: bytes 0 to 128: binding 2 of @ex::b_rrrf32_n([from byte 12 of binding 1 of @ex::b_wrri8_tn([from byte 36 of argument 0 of @main for
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<external>) -> (!hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %c32 = arith.constant 32 : index
    %c36 = arith.constant 36 : index
    %c68 = arith.constant 68 : index
    %c116 = arith.constant 116 : index
    %c128 = arith.constant 128 : index
    %v9 = stream.async.transfer %v0 : !stream.resource<external>{%c128} -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c128} loc("op7")
    %v10 = stream.async.barrier %v9 : !stream.resource<transient>{%c128} loc("op12")
    %v11, %v12 = stream.async.dispatch @ex::@b_wrri8_tn(%v9[%c36 to %c68 for %c32]) : (!stream.resource<transient>{%c128}) -> (%v9{%c128}, !stream.resource<transient>{%c128}) loc("op16")
    %v13 = stream.async.dispatch @ex::@a_rrr_n(%v10[%c0 to %c128 for %c128]) : (!stream.resource<transient>{%c128}) -> !stream.resource<transient>{%c8} loc("op34")
    %v14 = stream.async.dispatch @ex::@b_rrrf32_n(%v12[%c12 to %c128 for %c116], %v13[%c0 to %c8 for %c8]) : (!stream.resource<transient>{%c128}, !stream.resource<transient>{%c8}) -> !stream.resource<external>{%c128} loc("op35")
    %v15 = stream.tensor.export %v14 : tensor<32xi32> in !stream.resource<external>{%c128} -> !hal.buffer_view loc("op40")
    util.return %v15 : !hal.buffer_view loc("op42")
  }
}
