// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-stream-schedule-execution),iree-stream-propagate-timepoints,iree-stream-materialize-builtins,util.func(canonicalize,cse,iree-util-optimize-int-arithmetic),iree-stream-schedule-allocation,util.func(canonicalize),iree-util-propagate-subranges,util.func(canonicalize),iree-stream-elide-timepoints,util.func(canonicalize))' --mlir-print-debuginfo %s
// id: elidetimepoints-returns-what-one-branch-handed-on-for-both
// title: ElideTimepoints returns what one branch hands on where the other hands on something else
// signature: value/elide-timepoints/changed/in-memory/result
// check: value
// verdict: wrong-value
// guilty-pass: elide-timepoints
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: commands on memory return what the input program returns
// actual: byte 0 of result 0 of @main is to be bytes 0 to 16: binding 1 of @ex::b_ri64i64_n([55 00 00 00 00 00 00 00 55 00 00 00 00 00 00 00 for 16], 16 bytes to write)
// issue: unreported

module {
  util.func public @main(%v0: i1, %v1: i1) -> (!stream.resource<transient>) {
    %c85_i64 = arith.constant 85 : i64
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %v5 = stream.async.splat %c85_i64 : i64 -> !stream.resource<transient>{%c16} loc("op0")
    %v6 = stream.async.clone %v5 : !stream.resource<transient>{%c16} -> !stream.resource<transient>{%c16} loc("op1")
    cf.cond_br %v0, ^bb1, ^bb2 loc("op2")
  ^bb1:
    %v7 = arith.select %v1, %v6, %v5 : !stream.resource<transient> loc("op3")
    cf.br ^bb3(%v7 : !stream.resource<transient>) loc("op4")
  ^bb2:
    %v8 = stream.async.dispatch @ex::@b_ri64i64_n(%v5[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> !stream.resource<transient>{%c16} loc("op6")
    cf.br ^bb3(%v8 : !stream.resource<transient>) loc("op7")
  ^bb3(%v9: !stream.resource<transient>):
    util.return %v9 : !stream.resource<transient> loc("op17")
  }
}
