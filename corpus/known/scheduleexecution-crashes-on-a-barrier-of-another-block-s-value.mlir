// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: scheduleexecution-crashes-on-a-barrier-of-another-block-s-value
// title: ScheduleExecution crashes on a barrier of a value of another block
// signature: accept/schedule-execution/crash/SIGSEGV
// check: accept
// verdict: crash
// guilty-pass: schedule-execution
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: schedule-execution: the compiler crashed (SIGSEGV)
// issue: unreported
// CHECK: Please report issues

module {
  util.func public @main(%v0: !stream.resource<transient>, %v1: i1) -> (!stream.resource<transient>, !stream.resource<transient>) {
    %v2, %v3 = util.call @f0(%v0, %v0, %v1) : (!stream.resource<transient>, !stream.resource<transient>, i1) -> (!stream.resource<transient>, !stream.resource<transient>) loc("op24")
    util.return %v2, %v3 : !stream.resource<transient>, !stream.resource<transient> loc("op27")
  }
  util.func public @f0(%v4: !stream.resource<transient>, %v5: !stream.resource<transient>, %v6: i1) -> (!stream.resource<transient>, !stream.resource<transient>) {
    %c16 = arith.constant 16 : index
    cf.cond_br %v6, ^bb1, ^bb2 loc("op15")
  ^bb1:
    %v8 = util.optimization_barrier %v4 : !stream.resource<transient> loc("op16")
    cf.br ^bb2 loc("op17")
  ^bb2:
    %v9 = stream.async.alloca : !stream.resource<transient>{%c16} loc("op18")
    cf.cond_br %v6, ^bb3, ^bb4 loc("op19")
  ^bb3:
    %v10 = stream.async.barrier %v5 : !stream.resource<transient>{%c16} loc("op20")
    util.return %v10, %v9 : !stream.resource<transient>, !stream.resource<transient> loc("op21")
  ^bb4:
    util.return %v9, %v5 : !stream.resource<transient>, !stream.resource<transient> loc("op22")
  }
}
