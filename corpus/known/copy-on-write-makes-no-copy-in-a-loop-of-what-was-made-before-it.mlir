// RUN: iree-opt '--pass-pipeline=builtin.module()' --mlir-print-debuginfo %s
// id: copy-on-write-makes-no-copy-in-a-loop-of-what-was-made-before-it
// title: Copy-on-write makes no copy in a loop of what was made before it
// signature: value/copy-on-write/written-over/not-copied/directly
// check: value
// verdict: wrong-value
// guilty-pass: copy-on-write
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 16: binding 0 of @ex::b_w_t([binding 0 of @ex::a_r_n(16 bytes to write) for 16])
// actual: byte 0 of result 0 of @main: bytes 0 to 16: binding 0 of @ex::b_w_t([binding 0 of @ex::b_w_t([binding 0 of @ex::a_r_n(16 bytes to write) for 16]) for 16])
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %v5 = stream.async.dispatch @ex::@a_r_n() : () -> !stream.resource<transient>{%c16} loc("op0")
    %v6 = scf.for %v7 = %c0 to %c2 step %c1 iter_args(%v8 = %v0) -> (!stream.resource<transient>) {
      %v9 = stream.async.dispatch @ex::@b_w_t(%v5[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> %v5{%c16} loc("op1")
      scf.yield %v9 : !stream.resource<transient> loc("op2")
    } loc("op3")
    util.return %v6 : !stream.resource<transient> loc("op4")
  }
}
