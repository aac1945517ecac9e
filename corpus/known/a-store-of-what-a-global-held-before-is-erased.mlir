// RUN: iree-opt '--pass-pipeline=builtin.module(util.initializer(canonicalize),util.func(canonicalize,iree-util-simplify-global-accesses,iree-util-apply-patterns))' --mlir-print-debuginfo %s
// id: a-store-of-what-a-global-held-before-is-erased
// title: A store of what a global held before another store to it is erased
// signature: value/canonicalize/changed/load/new
// check: value
// verdict: wrong-value
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @f0, call 2: bytes 0 to 16: 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07
// actual: byte 0 of result 0 of @f0, call 2: bytes 0 to 16: argument 0 of @f0
// issue: unreported

module {
  util.global public mutable @g0 : !stream.resource<variable>
  util.initializer {
    %c7_i8 = arith.constant 7 : i8
    %c16 = arith.constant 16 : index
    %v2 = stream.async.splat %c7_i8 : i8 -> !stream.resource<transient>{%c16} loc("op3")
    %v3 = stream.async.transfer %v2 : !stream.resource<transient>{%c16} -> !stream.resource<variable>{%c16} loc("op5")
    util.global.store %v3, @g0 : !stream.resource<variable> loc("op6")
    util.return loc("op7")
  }
  util.func public @f0(%v4: !stream.resource<variable>) -> (!stream.resource<transient>) {
    %c16 = arith.constant 16 : index
    %v6 = util.global.load @g0 : !stream.resource<variable> loc("op8")
    %v7 = stream.async.transfer %v6 : !stream.resource<variable>{%c16} from(#hal.device.affinity<@dev_a>) -> !stream.resource<transient>{%c16} loc("op9")
    util.global.store %v4, @g0 : !stream.resource<variable> loc("op12")
    %v8 = stream.async.transfer %v7 : !stream.resource<transient>{%c16} -> to(#hal.device.affinity<@dev_a>) !stream.resource<variable>{%c16} loc("op17")
    util.global.store %v8, @g0 : !stream.resource<variable> loc("op18")
    util.return %v7 : !stream.resource<transient> loc("op24")
  }
}
