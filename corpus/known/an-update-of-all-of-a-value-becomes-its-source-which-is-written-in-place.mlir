// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-materialize-copy-on-write,canonicalize))' --mlir-print-debuginfo %s
// id: an-update-of-all-of-a-value-becomes-its-source-which-is-written-in-place
// title: An update of all of a value becomes its source, which is then written in place though it is read later
// signature: value/canonicalize/written-over/without-clone/directly
// check: value
// verdict: wrong-value
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 24: argument 1 of @main
// actual: byte 0 of result 0 of @main: bytes 0 to 128: 2a 00 2a 00 2a 00 2a 00 2a 00 2a 00 2a 00 2a 00 …
// issue: unreported

module {
  util.func public @main(%v0: index, %v1: !stream.resource<transient>, %v2: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c42_i16 = arith.constant 42 : i16
    %c0 = arith.constant 0 : index
    %c24 = arith.constant 24 : index
    %c48 = arith.constant 48 : index
    %c80 = arith.constant 80 : index
    %c104 = arith.constant 104 : index
    %c128 = arith.constant 128 : index
    %v10 = stream.async.update %v1, %v2[%c0 to %v0] : !stream.resource<transient>{%v0} -> %v2 as !stream.resource<transient>{%v0} loc("op10")
    %v11 = stream.async.fill %c42_i16, %v10[%c0 to %v0 for %v0] : i16 -> %v10 as !stream.resource<transient>{%v0} loc("op11")
    %v12 = stream.async.copy %v11[%c48 to %c128], %v1[%c24 to %c104], %c80 : !stream.resource<transient>{%v0} -> %v1 as !stream.resource<transient>{%v0} loc("op13")
    util.return %v12 : !stream.resource<transient> loc("op28")
  }
}
