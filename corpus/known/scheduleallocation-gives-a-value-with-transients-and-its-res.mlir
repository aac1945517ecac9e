// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: scheduleallocation-gives-a-value-with-transients-and-its-res
// title: ScheduleAllocation gives a value with transients and its result two lifetimes
// signature: accept/schedule-allocation/stream.resource.transients-op-failed-to-verify-that-all-of-resource-result-have-same-type
// check: accept
// verdict: rejected
// guilty-pass: schedule-allocation
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: schedule-allocation: pass failed: 'stream.resource.transients' op failed to verify that all of {resource, result} have same type
// issue: unreported
// CHECK: error: {{.*}}'stream.resource.transients' op failed to verify that all of {resource, result} have same type

module {
  util.func public @main(%v0: !stream.resource<transient>, %v1: !stream.resource<transient>) -> (!stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %v5 = stream.async.barrier %v0 : !stream.resource<transient>{%c16} loc("op2")
    %v6 = stream.async.dispatch @ex::@a_wf64_t(%v5[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> %v5 as !stream.resource<external>{%c16} loc("op4")
    %v7, %v8 = stream.timepoint.barrier %v6 : !stream.resource<external>{%c16} => !stream.timepoint loc("op6")
    %v9, %v10 = stream.resource.transients await(%v8) => %v7 : !stream.resource<external>{%c16} from %v1 : !stream.resource<transient>{%c16} => !stream.timepoint loc("op8")
    util.return %v9 : !stream.resource<external> loc("op31")
  }
}
