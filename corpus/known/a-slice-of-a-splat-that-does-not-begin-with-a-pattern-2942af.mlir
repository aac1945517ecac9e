// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize))' --mlir-print-debuginfo %s
// id: a-slice-of-a-splat-that-does-not-begin-with-a-pattern-2942af
// title: A slice of a splat that does not begin with a pattern becomes a splat of another phase
// signature: value/canonicalize/changed/splat/new
// check: value
// verdict: wrong-value
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 24: 00 00 00 00 2a 00 00 00 00 00 00 00 2a 00 00 00 …
// actual: byte 0 of result 0 of @main: bytes 0 to 24: 2a 00 00 00 00 00 00 00 2a 00 00 00 00 00 00 00 …
// issue: unreported

module {
  util.func public @main() -> (!stream.resource<transient>) {
    %c42_i64 = arith.constant 42 : i64
    %c24 = arith.constant 24 : index
    %c28 = arith.constant 28 : index
    %c52 = arith.constant 52 : index
    %c64 = arith.constant 64 : index
    %v5 = stream.async.splat %c42_i64 : i64 -> !stream.resource<transient>{%c64} loc("op1")
    %v6 = stream.async.slice %v5[%c28 to %c52] : !stream.resource<transient>{%c64} -> !stream.resource<transient>{%c24} loc("op10")
    util.return %v6 : !stream.resource<transient> loc("op18")
  }
}
