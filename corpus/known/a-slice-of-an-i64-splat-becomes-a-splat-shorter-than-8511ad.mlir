// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-schedule-execution),iree-stream-materialize-builtins,util.func(canonicalize))' --mlir-print-debuginfo %s
// id: a-slice-of-an-i64-splat-becomes-a-splat-shorter-than-8511ad
// title: A slice of an i64 splat becomes a splat shorter than its pattern which writes nothing
// signature: value/materialize-builtins/changed/dispatch
// check: value
// verdict: wrong-value
// guilty-pass: materialize-builtins
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 4: binding 1 of @ex::a_windex_t([55 00 00 00 for 4], 4 bytes to write)
// actual: byte 0 of result 0 of @main: bytes 0 to 4: binding 1 of @ex::a_windex_t([nobody's for 4], 4 bytes to write)
// issue: unreported

module {
  util.func public @main() -> (!hal.buffer_view) {
    %c85_i64 = arith.constant 85 : i64
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %v4 = stream.async.splat %c85_i64 : i64 -> !stream.resource<transient>{%c8} loc("op1")
    %v5 = stream.async.slice %v4[%c0 to %c4] : !stream.resource<transient>{%c8} -> !stream.resource<transient>{%c4} loc("op3")
    %v6 = stream.async.dispatch @ex::@a_windex_t(%v5[%c0 to %c4 for %c4]) : (!stream.resource<transient>{%c4}) -> !stream.resource<external>{%c4} loc("op32")
    %v7 = stream.tensor.export %v6 : tensor<1xi32> in !stream.resource<external>{%c4} -> !hal.buffer_view loc("op33")
    util.return %v7 : !hal.buffer_view loc("op37")
  }
}
