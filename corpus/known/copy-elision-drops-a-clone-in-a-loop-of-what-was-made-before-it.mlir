// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-materialize-copy-on-write),iree-stream-elide-async-copies)' --mlir-print-debuginfo %s
// id: copy-elision-drops-a-clone-in-a-loop-of-what-was-made-before-it
// title: Copy elision drops a clone in a loop of what was made before it
// signature: value/elide-async-copies/written-over/without-clone/directly
// check: value
// verdict: wrong-value
// guilty-pass: elide-async-copies
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 16 of result 0 of @main: bytes 16 to 116: binding 0 of @ex::b_w_t([7f 00 00 00 00 00 00 00 7f 00 00 00 00 00 00 00 … for 100])
// actual: byte 16 of result 0 of @main: bytes 16 to 116: binding 0 of @ex::b_w_t([binding 0 of @ex::b_w_t([7f 00 00 00 00 00 00 00 7f 00 00 00 00 00 00 00 … for 100]) for
// issue: unreported

module {
  util.func public @main() -> (!stream.resource<transient>) {
    %c127_i64 = arith.constant 127 : i64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c100 = arith.constant 100 : index
    %c116 = arith.constant 116 : index
    %c128 = arith.constant 128 : index
    %v8 = stream.async.splat %c127_i64 : i64 -> !stream.resource<transient>{%c128} loc("op0")
    %v9, %v10 = stream.timepoint.barrier %v8 : !stream.resource<transient>{%c128} => !stream.timepoint loc("op3")
    %v11 = stream.async.dispatch @ex::@b_rr_n(%v9[%c0 to %c128 for %c128]) : (!stream.resource<transient>{%c128}) -> !stream.resource<transient>{%c128} loc("op16")
    %v12, %v13 = scf.while (%v14 = %c2, %v15 = %v11) : (index, !stream.resource<transient>) -> (index, !stream.resource<transient>) {
      %v16 = "arith.cmpi"(%v14, %c0) <{predicate = 1}> : (index, index) -> (i1) loc("op19")
      scf.condition(%v16) %v14, %v15 : index, !stream.resource<transient> loc("op21")
    } do {
    ^bb0(%v17: index, %v18: !stream.resource<transient>):
      %v19 = stream.async.dispatch @ex::@b_w_t(%v9[%c16 to %c116 for %c100]) : (!stream.resource<transient>{%c128}) -> %v9{%c128} loc("op22")
      %v20 = "arith.subi"(%v17, %c1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> (index) loc("op24")
      scf.yield %v20, %v19 : index, !stream.resource<transient> loc("op25")
    } loc("op18")
    util.return %v13 : !stream.resource<transient> loc("op33")
  }
}
