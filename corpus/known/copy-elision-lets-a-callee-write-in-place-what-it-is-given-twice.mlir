// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-materialize-copy-on-write),iree-stream-elide-async-copies)' --mlir-print-debuginfo %s
// id: copy-elision-lets-a-callee-write-in-place-what-it-is-given-twice
// title: Copy elision lets a callee write in place an argument that it is given twice
// signature: value/elide-async-copies/written-over/handed-on
// check: value
// verdict: wrong-value
// guilty-pass: elide-async-copies
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 8: binding 2 of @ex::b_rr_n([binding 0 of @ex::a_w_t([ff ff ff ff ff ff ff ff for 8]) for 8], [from byte 4 of binding 1 
// actual: byte 0 of result 0 of @main: bytes 0 to 8: binding 2 of @ex::b_rr_n([binding 0 of @ex::a_w_t([ff ff ff ff ff ff ff ff for 8]) for 8], [from byte 4 of binding 1 
// issue: unreported

module {
  util.func public @main() -> (!stream.resource<transient>) {
    %cn1_i32 = arith.constant -1 : i32
    %c8 = arith.constant 8 : index
    %v2 = stream.async.splat %cn1_i32 : i32 -> !stream.resource<transient>{%c8} loc("op0")
    %v3 = util.call @f0(%v2, %v2) : (!stream.resource<transient>, !stream.resource<transient>) -> !stream.resource<transient> loc("op29")
    util.return %v3 : !stream.resource<transient> loc("op33")
  }
  util.func private @f0(%v4: !stream.resource<transient>, %v5: !stream.resource<transient>) -> (!stream.resource<transient>) attributes {inlining_policy = #util.inline.never} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %v9 = stream.async.dispatch @ex::@a_w_t(%v5[%c0 to %c8 for %c8]) : (!stream.resource<transient>{%c8}) -> %v5{%c8} loc("op2")
    %v10 = stream.async.dispatch @ex::@a_rf64_n(%v4[%c0 to %c8 for %c8]) : (!stream.resource<transient>{%c8}) -> !stream.resource<transient>{%c8} loc("op15")
    %v11 = stream.async.dispatch @ex::@b_rr_n(%v9[%c0 to %c8 for %c8], %v10[%c4 to %c8 for %c4]) : (!stream.resource<transient>{%c8}, !stream.resource<transient>{%c8}) -> !stream.resource<transient>{%c8} loc("op27")
    util.return %v11 : !stream.resource<transient> loc("op28")
  }
}
