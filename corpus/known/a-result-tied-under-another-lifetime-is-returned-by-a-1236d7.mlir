// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: a-result-tied-under-another-lifetime-is-returned-by-a-1236d7
// title: A result tied under another lifetime is returned by a function as the operand
// signature: accept/schedule-allocation/types-differ
// check: accept
// verdict: rejected
// guilty-pass: schedule-allocation
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: schedule-allocation: pass failed: 'util.return' op type of return operand 0 ('!stream.resource<transient>') doesn't match function result type ('!stream.resourc
// issue: unreported
// CHECK: error: {{.*}}'util.return' op type of return operand 0

module {
  util.func public @main() -> (!hal.buffer_view) {
    %c128 = arith.constant 128 : index
    %v1 = stream.async.alloca : !stream.resource<transient>{%c128} loc("op0")
    %v2 = util.call @f0(%v1) : (!stream.resource<transient>) -> !stream.resource<external> loc("op6")
    %v3 = stream.tensor.export %v2 : tensor<32xi32> in !stream.resource<external>{%c128} -> !hal.buffer_view loc("op7")
    util.return %v3 : !hal.buffer_view loc("op8")
  }
  util.func private @f0(%v4: !stream.resource<transient>) -> (!stream.resource<external>) attributes {inlining_policy = #util.inline.never} {
    %c32 = arith.constant 32 : index
    %c60 = arith.constant 60 : index
    %c92 = arith.constant 92 : index
    %c128 = arith.constant 128 : index
    %v9 = stream.async.dispatch @ex::@b_w_t(%v4[%c60 to %c92 for %c32]) : (!stream.resource<transient>{%c128}) -> %v4 as !stream.resource<external>{%c128} loc("op4")
    util.return %v9 : !stream.resource<external> loc("op5")
  }
}
