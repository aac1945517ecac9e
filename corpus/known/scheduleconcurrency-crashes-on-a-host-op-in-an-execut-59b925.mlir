// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: scheduleconcurrency-crashes-on-a-host-op-in-an-execut-59b925
// title: ScheduleConcurrency crashes on a host op in an execution region
// signature: accept/schedule-concurrency/crash/SIGSEGV/Stream.partitionRegionConcurrencyReference
// check: accept
// verdict: crash
// guilty-pass: schedule-concurrency
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: schedule-concurrency: the compiler crashed (SIGSEGV)
// issue: unreported
// CHECK: Stack dump

module {
  util.func public @f(%v0: !stream.resource<transient>, %v1: index) -> (!stream.resource<transient>) {
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %v5, %v6 = stream.async.execute with(%v0 as %v7: !stream.resource<transient>{%c16}) -> !stream.resource<transient>{%c64} {
      %v8 = "arith.addi"(%c16, %v1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> (index) loc("line9")
      %v9 = stream.resource.subview %v7[%v8] : !stream.resource<transient>{%c16} -> !stream.resource<transient>{%c64} loc("line10")
      stream.yield %v9 : !stream.resource<transient>{%c64} loc("line11")
    } => !stream.timepoint loc("line7")
    util.return %v5 : !stream.resource<transient> loc("line13")
  }
}
