// RUN: not iree-opt '--pass-pipeline=builtin.module(iree-stream-place-transfer-executions,func.func(iree-stream-schedule-execution),util.initializer(iree-stream-schedule-execution),util.func(iree-stream-schedule-execution),func.func(iree-stream-schedule-concurrency),util.initializer(iree-stream-schedule-concurrency),util.func(iree-stream-schedule-concurrency),iree-stream-sync-initializers,iree-stream-propagate-timepoints,iree-stream-annotate-affinities)' %s 2>&1 | filecheck %s
// id: sinkawaittofirstconsumer-crashes-on-consumers-in-several
// title: SinkAwaitToFirstConsumer crashes on consumers in several blocks
// signature: accept/schedule-execution/crash/SIGSEGV
// check: accept
// asked-by: affinity
// verdict: crash
// guilty-pass: schedule-execution
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: schedule-execution: the compiler crashed (SIGSEGV)
// issue: unreported
// CHECK: Stack dump

module {
  util.func public @main(%v0: i1, %v1: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c16 = arith.constant 16 : index
    %v3 = stream.async.alloca : !stream.resource<transient>{%c16} loc("op0")
    cf.br ^bb1(%v3 : !stream.resource<transient>) loc("op1")
  ^bb1(%v4: !stream.resource<transient>):
    cf.cond_br %v0, ^bb2, ^bb3 loc("op2")
  ^bb2:
    cf.br ^bb4(%v4 : !stream.resource<transient>) loc("op3")
  ^bb3:
    cf.br ^bb4(%v1 : !stream.resource<transient>) loc("op15")
  ^bb4(%v5: !stream.resource<transient>):
    util.return %v4 : !stream.resource<transient> loc("op30")
  }
}
