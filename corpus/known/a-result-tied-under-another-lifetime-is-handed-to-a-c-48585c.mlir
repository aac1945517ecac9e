// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: a-result-tied-under-another-lifetime-is-handed-to-a-c-48585c
// title: A result tied under another lifetime is handed to a call as the operand
// signature: accept/schedule-allocation/util.call-op-function-type-mismatch-expected-but-callee-is
// check: accept
// verdict: rejected
// guilty-pass: schedule-allocation
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: schedule-allocation: pass failed: 'util.call' op function type mismatch; expected '(!stream.resource<transient>, !stream.timepoint) -> (!stream.resource<externa
// issue: unreported
// CHECK: error: {{.*}}'util.call' op function type mismatch; expected '(!stream.resource<transient>, !stream.timepoint) -> (!stream.resource<external>, !stream.timepoint)' but callee is '(!stream.resource<external>, !stream.timepoint) -> (!stream.resource<external>, !stream.timepoint)'

module {
  util.func public @main() {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %v2 = stream.async.alloca on(#hal.device.affinity<@dev_a, [0]>) : !stream.resource<transient>{%c8} loc("op0")
    %v3 = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@b_w_t(%v2[%c0 to %c8 for %c8]) : (!stream.resource<transient>{%c8}) -> %v2 as !stream.resource<external>{%c8} loc("op10")
    %v4 = util.call @f0(%v3) : (!stream.resource<external>) -> !stream.resource<external> loc("op27")
    %v5 = util.call @f0(%v4) : (!stream.resource<external>) -> !stream.resource<external> loc("op28")
    util.return loc("op34")
  }
  util.func private @f0(%v6: !stream.resource<external>) -> (!stream.resource<external>) attributes {inlining_policy = #util.inline.never} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %v9 = stream.async.dispatch @ex::@b_rrf32_n(%v6[%c0 to %c8 for %c8]) : (!stream.resource<external>{%c8}) -> !stream.resource<external>{%c8} loc("op25")
    util.return %v9 : !stream.resource<external> loc("op26")
  }
}
