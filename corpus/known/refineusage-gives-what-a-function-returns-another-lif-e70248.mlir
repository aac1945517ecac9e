// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-what-a-function-returns-another-lif-e70248
// title: RefineUsage gives what a function returns another lifetime than its type says
// signature: accept/refine-usage/util.return-op-type-of-return-operand-doesn-stream.resource-transient
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'util.return' op type of return operand 0 ('!stream.resource<external>') doesn't match function result type ('!stream.resource<transi
// issue: unreported
// CHECK: error: {{.*}}'util.return' op type of return operand 0

module {
  util.func public @main(%v0: i1, %v1: !stream.resource<*>) -> (!hal.buffer_view, !hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %v4, %v5 = util.call @f0(%v1, %v0) : (!stream.resource<*>, i1) -> (!stream.resource<*>, !stream.resource<*>) loc("op8")
    %v6 = stream.async.dispatch @ex::@a_rrr_n(%v4[%c0 to %c16 for %c16]) : (!stream.resource<*>{%c16}) -> !stream.resource<transient>{%c16} loc("op17")
    %v7 = stream.async.transfer %v5 : !stream.resource<*>{%c16} -> !stream.resource<external>{%c16} loc("op18")
    %v8 = stream.tensor.export %v7 : tensor<32xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op19")
    %v9 = stream.async.transfer %v6 : !stream.resource<transient>{%c16} -> !stream.resource<external>{%c16} loc("op21")
    %v10 = stream.tensor.export %v9 : tensor<32xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op22")
    util.return %v8, %v10 : !hal.buffer_view, !hal.buffer_view loc("op23")
  }
  util.func private @f0(%v11: !stream.resource<*>, %v12: i1) -> (!stream.resource<*>, !stream.resource<*>) attributes {stream.affinity.default = #hal.device.affinity<@dev_b>} {
    %c16 = arith.constant 16 : index
    %v14 = stream.async.transfer %v11 : !stream.resource<*>{%c16} -> to(#hal.device.affinity<@dev_d>) !stream.resource<*>{%c16} loc("op1")
    cf.cond_br %v12, ^bb1, ^bb2 loc("op3")
  ^bb1:
    %v15 = stream.async.alloca : !stream.resource<*>{%c16} loc("op4")
    util.return %v15, %v14 : !stream.resource<*>, !stream.resource<*> loc("op5")
  ^bb2:
    util.return %v14, %v11 : !stream.resource<*>, !stream.resource<*> loc("op6")
  }
}
