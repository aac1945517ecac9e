// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize))' --mlir-print-debuginfo %s
// id: copy-on-write-makes-no-copy-of-what-the-caller-passed-in
// title: Copy-on-write makes no copy of what is handed on under another name
// signature: value/copy-on-write/written-over/handed-on
// check: value
// verdict: wrong-value
// guilty-pass: copy-on-write
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 16: argument 2 of @main
// actual: byte 0 of result 0 of @main: bytes 0 to 16: argument 1 of @main
// issue: unreported

module {
  util.func public @main(%v0: i1, %v1: !stream.resource<transient>, %v2: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %v5 = stream.async.barrier %v2 : !stream.resource<transient>{%c16} loc("op8")
    %v6 = stream.async.copy %v1[%c0 to %c16], %v5[%c0 to %c16], %c16 : !stream.resource<transient>{%c16} -> %v5 as !stream.resource<transient>{%c16} loc("op9")
    %v7 = arith.select %v0, %v6, %v2 : !stream.resource<transient> loc("op11")
    util.return %v7 : !stream.resource<transient> loc("op31")
  }
}
