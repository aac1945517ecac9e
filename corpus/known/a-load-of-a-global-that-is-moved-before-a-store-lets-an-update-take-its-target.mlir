// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize),iree-stream-refine-usage,util.func(canonicalize),iree-stream-elide-async-copies,util.func(iree-stream-schedule-execution,iree-stream-schedule-concurrency),iree-stream-propagate-timepoints,util.func(canonicalize,cse,canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: a-load-of-a-global-that-is-moved-before-a-store-lets-an-update-take-its-target
// title: A load of a global that ScheduleExecution moves before a store lets an update take its own target
// signature: hazard/schedule-execution/overlapping/handed-on
// check: hazard
// verdict: broken-contract
// guilty-pass: schedule-execution
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: the caller's memory: overlapping
// issue: unreported

module {
  util.global public mutable @g0 : !stream.resource<variable>
  util.func public @main(%v0: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c127_i8 = arith.constant 127 : i8
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c22 = arith.constant 22 : index
    %c26 = arith.constant 26 : index
    %c32 = arith.constant 32 : index
    %v7 = util.global.load @g0 : !stream.resource<variable> loc("op5")
    %v8 = stream.async.alloca : !stream.resource<variable>{%c32} loc("op6")
    util.global.store %v8, @g0 : !stream.resource<variable> loc("op7")
    %v9 = stream.async.fill %c127_i8, %v7[%c22 to %c26 for %c4] : i8 -> %v7 as !stream.resource<variable>{%c32} loc("op10")
    %v10 = stream.async.clone %v9 : !stream.resource<variable>{%c32} -> !stream.resource<transient>{%c32} loc("op11")
    %v11 = util.global.load @g0 : !stream.resource<variable> loc("op12")
    %v12 = stream.async.update %v10, %v11[%c0 to %c32] : !stream.resource<transient>{%c32} -> %v11 as !stream.resource<variable>{%c32} loc("op13")
    util.global.store %v12, @g0 : !stream.resource<variable> loc("op14")
    %v13 = stream.async.transfer %v0 : !stream.resource<transient>{%c32} -> !stream.resource<transient>{%c32} loc("op18")
    util.return %v13 : !stream.resource<transient> loc("op20")
  }
}
