// RUN: iree-opt '--pass-pipeline=builtin.module()' --mlir-print-debuginfo %s
// id: copy-on-write-makes-no-copy-of-what-lives-on-behind-a-barrier
// title: Copy-on-write makes no copy of what lives on under the name before a barrier
// signature: value/copy-on-write/written-over/aliased
// check: value
// verdict: wrong-value
// guilty-pass: copy-on-write
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 248 of result 0 of @main: bytes 0 to 256: argument 1 of @main
// actual: byte 248 of result 0 of @main: bytes 248 to 256: binding 0 of @ex::b_wi64_t([from byte 248 of argument 1 of @main for 8])
// issue: unreported

module {
  util.func public @main(%v0: index, %v1: !stream.resource<transient>) -> (!stream.resource<transient>, !stream.resource<transient>) {
    %c8 = arith.constant 8 : index
    %c248 = arith.constant 248 : index
    %c256 = arith.constant 256 : index
    %v5 = stream.async.barrier %v1 : !stream.resource<transient>{%v0} loc("op9")
    %v6 = stream.async.dispatch @ex::@b_wi64_t(%v5[%c248 to %c256 for %c8]) : (!stream.resource<transient>{%v0}) -> %v5{%v0} loc("op11")
    util.return %v1, %v6 : !stream.resource<transient>, !stream.resource<transient> loc("op16")
  }
}
