// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize,iree-util-simplify-global-accesses,iree-util-apply-patterns),inline,util.func(iree-util-simplify-global-accesses,iree-util-apply-patterns))' --mlir-print-debuginfo %s
// id: simplifyglobalaccesses-takes-what-was-loaded-before-a-branch-that-stores
// title: SimplifyGlobalAccesses takes what was loaded before a branch for what is loaded behind it, though the branch stores
// signature: value/simplify-global-accesses/changed/another-value
// check: value
// verdict: wrong-value
// guilty-pass: simplify-global-accesses
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 16: ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff
// actual: byte 0 of result 0 of @main: bytes 0 to 16: nobody's
// issue: unreported

module {
  util.global public mutable @g0 : !stream.resource<variable>
  util.func public @main(%v0: i1) -> (!stream.resource<external>, !stream.resource<external>) {
    %v1 = util.call @f0(%v0) : (i1) -> !stream.resource<external> loc("op32")
    %v2 = util.call @f0(%v0) : (i1) -> !stream.resource<external> loc("op33")
    util.return %v2, %v1 : !stream.resource<external>, !stream.resource<external> loc("op38")
  }
  util.func public @f1(%v3: !stream.resource<external>, %v4: i1) -> (!stream.resource<external>) {
    %cn1_i64 = arith.constant -1 : i64
    %c16 = arith.constant 16 : index
    %v7 = stream.async.splat %cn1_i64 : i64 -> !stream.resource<transient>{%c16} loc("op19")
    scf.if %v4 {
      %v8 = stream.async.transfer %v7 : !stream.resource<transient>{%c16} -> !stream.resource<variable>{%c16} loc("op24")
      util.global.store %v8, @g0 : !stream.resource<variable> loc("op25")
      scf.yield loc("op26")
    } loc("op21")
    util.return %v3 : !stream.resource<external> loc("op27")
  }
  util.func public @f0(%v9: i1) -> (!stream.resource<external>) {
    %c16 = arith.constant 16 : index
    %v11 = util.global.load @g0 : !stream.resource<variable> loc("op13")
    %v12 = stream.async.transfer %v11 : !stream.resource<variable>{%c16} -> !stream.resource<transient>{%c16} loc("op14")
    %v13 = stream.async.transfer %v12 : !stream.resource<transient>{%c16} -> !stream.resource<external>{%c16} loc("op18")
    %v14 = util.call @f1(%v13, %v9) : (!stream.resource<external>, i1) -> !stream.resource<external> loc("op28")
    util.return %v14 : !stream.resource<external> loc("op31")
  }
}
