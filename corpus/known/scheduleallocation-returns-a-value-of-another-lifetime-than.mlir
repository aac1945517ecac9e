// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: scheduleallocation-returns-a-value-of-another-lifetime-than
// title: ScheduleAllocation returns a value of another lifetime than the function says
// signature: accept/schedule-allocation/util.return-op-type-of-return-operand-doesn-stream.resource-transient
// check: accept
// verdict: rejected
// guilty-pass: schedule-allocation
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: schedule-allocation: pass failed: 'util.return' op type of return operand 0 ('!stream.resource<external>') doesn't match function result type ('!stream.resource
// issue: unreported
// CHECK: error: {{.*}}'util.return' op type of return operand 0

module {
  util.func public @main() -> (!stream.resource<transient>) {
    %c8 = arith.constant 8 : index
    %v1 = stream.async.alloca : !stream.resource<external>{%c8} loc("op3")
    %v2 = util.call @f0(%v1) : (!stream.resource<external>) -> !stream.resource<transient> loc("op7")
    util.return %v2 : !stream.resource<transient> loc("op17")
  }
  util.func private @f0(%v3: !stream.resource<external>) -> (!stream.resource<transient>) attributes {stream.affinity.default = #hal.device.affinity<@dev_b>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %v6 = stream.async.dispatch @ex::@b_w_tn(%v3[%c0 to %c8 for %c8]) : (!stream.resource<external>{%c8}) -> %v3 as !stream.resource<transient>{%c8} loc("op4")
    util.return %v6 : !stream.resource<transient> loc("op6")
  }
}
