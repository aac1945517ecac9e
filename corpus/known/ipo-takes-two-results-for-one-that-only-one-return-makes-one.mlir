// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-ipo)' --mlir-print-debuginfo %s
// id: ipo-takes-two-results-for-one-that-only-one-return-makes-one
// title: IPO takes two results of a function for one which only one of its returns makes one
// signature: value/ipo/changed/another-value
// check: value
// verdict: wrong-value
// guilty-pass: ipo
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 1 of @main: bytes 0 to 16: argument 1 of @main
// actual: byte 0 of result 1 of @main: bytes 0 to 16: nobody's
// issue: unreported

module {
  util.global public mutable @g0 : !stream.resource<variable>
  util.func public @main(%v0: i1, %v1: !stream.resource<transient>) -> (!stream.resource<transient>, !stream.resource<transient>) {
    %v2, %v3 = util.call @f0(%v1, %v0) : (!stream.resource<transient>, i1) -> (!stream.resource<transient>, !stream.resource<transient>) loc("op31")
    util.return %v2, %v3 : !stream.resource<transient>, !stream.resource<transient> loc("op35")
  }
  util.func private @f0(%v4: !stream.resource<transient>, %v5: i1) -> (!stream.resource<transient>, !stream.resource<transient>) {
    %c16 = arith.constant 16 : index
    %v9 = stream.async.alloca : !stream.resource<transient>{%c16} loc("op4")
    cf.cond_br %v5, ^bb1, ^bb2 loc("op6")
  ^bb1:
    %v10 = stream.async.alloca : !stream.resource<variable>{%c16} loc("op15")
    util.global.store %v10, @g0 : !stream.resource<variable> loc("op16")
    %v11 = stream.async.alloca : !stream.resource<transient>{%c16} loc("op17")
    util.return %v11, %v4 : !stream.resource<transient>, !stream.resource<transient> loc("op29")
  ^bb2:
    util.return %v9, %v9 : !stream.resource<transient>, !stream.resource<transient> loc("op30")
  }
}
