// RUN: iree-opt '--pass-pipeline=builtin.module(util.initializer(canonicalize),util.func(canonicalize),util.initializer(iree-stream-schedule-execution),util.func(iree-stream-schedule-execution,iree-stream-schedule-concurrency),iree-stream-sync-initializers,iree-stream-propagate-timepoints,util.initializer(canonicalize),util.func(canonicalize,cse,canonicalize),iree-stream-schedule-allocation,util.initializer(canonicalize),util.func(canonicalize))' --mlir-print-debuginfo %s
// id: a-store-of-what-a-global-held-before-is-erased-once-its-memory-is-shared
// title: A store of what a global held before is erased though another was stored meanwhile, once both are one memory
// signature: value/canonicalize/changed/in-memory/result
// check: value
// verdict: wrong-value
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: commands on memory return what the input program returns
// actual: byte 0 of result 0 of @main, call 2 is to be bytes 0 to 16: 01 00 00 00 01 00 00 00 01 00 00 00 01 00 00 00
// issue: unreported

module {
  util.global public mutable @g0 : !stream.resource<variable>
  util.initializer {
    %c16 = arith.constant 16 : index
    %v1 = stream.async.constant : !stream.resource<transient>{%c16} = dense<1> : tensor<4xi32> loc("op0")
    %v2 = stream.async.transfer %v1 : !stream.resource<transient>{%c16} -> !stream.resource<variable>{%c16} loc("op1")
    util.global.store %v2, @g0 : !stream.resource<variable> loc("op2")
    util.return loc("op3")
  }
  util.func public @main() -> (!stream.resource<external>) {
    %cn1_i16 = arith.constant -1 : i16
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %v6 = util.global.load @g0 : !stream.resource<variable> loc("op4")
    %v7 = stream.async.fill %cn1_i16, %v6[%c0 to %c16 for %c16] : i16 -> %v6 as !stream.resource<variable>{%c16} loc("op5")
    util.global.store %v7, @g0 : !stream.resource<variable> loc("op6")
    %v8 = util.global.load @g0 : !stream.resource<variable> loc("op7")
    %v9 = stream.async.update %v6, %v8[%c0 to %c16] : !stream.resource<variable>{%c16} -> %v8 as !stream.resource<variable>{%c16} loc("op8")
    util.global.store %v9, @g0 : !stream.resource<variable> loc("op9")
    %v10 = stream.async.clone %v9 : !stream.resource<variable>{%c16} -> !stream.resource<external>{%c16} loc("op10")
    util.return %v10 : !stream.resource<external> loc("op11")
  }
}
