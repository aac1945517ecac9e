// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-materialize-copy-on-write),iree-stream-elide-async-copies,iree-stream-refine-usage,util.func(canonicalize))' --mlir-print-debuginfo %s
// id: refineusage-makes-an-update-of-a-whole-value-its-source-which-is-written-in-place
// title: RefineUsage makes an update of a whole value its source, which is then written in place though it was exported
// signature: value/refine-usage/written-over/shared
// check: value
// verdict: wrong-value
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 68 of result 1 of @main: bytes 0 to 128: argument 1 of @main
// actual: byte 68 of result 1 of @main: bytes 68 to 112: binding 0 of @ex::a_windex_t([from byte 68 of argument 1 of @main for 44])
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<external>, %v1: !stream.resource<transient>, %v2: !stream.resource<*>) -> (!stream.resource<transient>, !hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c44 = arith.constant 44 : index
    %c68 = arith.constant 68 : index
    %c112 = arith.constant 112 : index
    %c128 = arith.constant 128 : index
    %v8 = stream.async.copy %v1[%c0 to %c128], %v2[%c0 to %c128], %c128 : !stream.resource<transient>{%c128} -> %v2 as !stream.resource<*>{%c128} loc("op5")
    %v9 = stream.async.update %v8, %v0[%c0 to %c128] : !stream.resource<*>{%c128} -> %v0 as !stream.resource<external>{%c128} loc("op7")
    %v10 = stream.async.dispatch @ex::@a_windex_t(%v8[%c68 to %c112 for %c44]) : (!stream.resource<*>{%c128}) -> %v8 as !stream.resource<transient>{%c128} loc("op8")
    %v11 = stream.tensor.export %v9 : tensor<32xi32> in !stream.resource<external>{%c128} -> !hal.buffer_view loc("op15")
    util.return %v10, %v11 : !stream.resource<transient>, !hal.buffer_view loc("op18")
  }
}
