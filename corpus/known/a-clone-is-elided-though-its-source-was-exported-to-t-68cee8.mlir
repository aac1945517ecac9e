// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-materialize-copy-on-write),iree-stream-elide-async-copies)' --mlir-print-debuginfo %s
// id: a-clone-is-elided-though-its-source-was-exported-to-t-68cee8
// title: A clone is elided though its source was exported to the caller
// signature: value/elide-async-copies/written-over/without-clone/exported
// check: value
// verdict: wrong-value
// guilty-pass: elide-async-copies
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 108 of result 0 of @main: bytes 0 to 128: argument 0 of @main
// actual: byte 108 of result 0 of @main: bytes 108 to 120: binding 0 of @ex::b_w_t([from byte 108 of argument 0 of @main for 12])
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>) -> (!hal.buffer_view, !hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %c108 = arith.constant 108 : index
    %c120 = arith.constant 120 : index
    %c128 = arith.constant 128 : index
    %v7 = stream.async.transfer %v0 : !stream.resource<transient>{%c128} -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c128} loc("op10")
    %v8 = stream.tensor.export %v7 : tensor<32xi32> in !stream.resource<external>{%c128} -> !hal.buffer_view loc("op11")
    %v9 = stream.async.dispatch @ex::@b_w_t(%v7[%c108 to %c120 for %c12]) : (!stream.resource<external>{%c128}) -> %v7 as !stream.resource<transient>{%c128} loc("op12")
    %v10 = stream.async.dispatch @ex::@a_rrr_n(%v9[%c0 to %c128 for %c128]) : (!stream.resource<transient>{%c128}) -> !stream.resource<external>{%c16} loc("op18")
    %v11 = stream.tensor.export %v10 : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op21")
    util.return %v8, %v11 : !hal.buffer_view, !hal.buffer_view loc("op23")
  }
}
