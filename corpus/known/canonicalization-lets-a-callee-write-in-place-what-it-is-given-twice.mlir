// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-materialize-copy-on-write,canonicalize))' --mlir-print-debuginfo %s
// id: canonicalization-lets-a-callee-write-in-place-what-it-is-given-twice
// title: Canonicalization drops the clone that keeps apart two arguments of a call that are one: the callee writes over what it returns
// signature: value/canonicalize/written-over/handed-on
// check: value
// verdict: wrong-value
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 44 of result 0 of @main: bytes 0 to 1152921504606846976: argument 0 of @main
// actual: byte 44 of result 0 of @main: bytes 44 to 64: nobody's
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %v1, %v2 = util.call @f0(%v0, %v0) : (!stream.resource<transient>, !stream.resource<transient>) -> (!stream.resource<transient>, !stream.resource<transient>) loc("op25")
    util.return %v2 : !stream.resource<transient> loc("op29")
  }
  util.func public @f0(%v3: !stream.resource<transient>, %v4: !stream.resource<transient>) -> (!stream.resource<transient>, !stream.resource<transient>) attributes {stream.affinity.default = #hal.device.affinity<@dev_b>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c20 = arith.constant 20 : index
    %c36 = arith.constant 36 : index
    %c44 = arith.constant 44 : index
    %c64 = arith.constant 64 : index
    %v11 = stream.async.update %v3, %v4[%c0 to %c64] : !stream.resource<transient>{%c64} -> %v4 as !stream.resource<transient>{%c64} loc("op16")
    %v12 = stream.async.alloca : !stream.resource<transient>{%c64} loc("op18")
    %v13 = stream.async.copy %v12[%c16 to %c36], %v11[%c44 to %c64], %c20 : !stream.resource<transient>{%c64} -> %v11 as !stream.resource<transient>{%c64} loc("op19")
    util.return %v13, %v4 : !stream.resource<transient>, !stream.resource<transient> loc("op24")
  }
}
