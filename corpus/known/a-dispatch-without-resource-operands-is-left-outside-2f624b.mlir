// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: a-dispatch-without-resource-operands-is-left-outside-2f624b
// title: A dispatch without resource operands is left outside every execution region
// signature: accept/verify-lowering-to-async/stream.async.dispatch-op-streamable-op-expected-to-be-in-an-execution-region
// check: accept
// verdict: rejected
// guilty-pass: verify-lowering-to-async
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: materialize-builtins: pass failed: 'stream.async.dispatch' op : streamable op expected to be in an execution region
// issue: unreported
// CHECK: error: {{.*}}'stream.async.dispatch' op : streamable op expected to be in an execution region

module {
  util.func public @main(%v0: i1, %v1: !stream.resource<transient>) -> (!hal.buffer_view, !stream.resource<transient>) {
    %c1_i64 = arith.constant 1 : i64
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c36 = arith.constant 36 : index
    %c52 = arith.constant 52 : index
    %c64 = arith.constant 64 : index
    %c68 = arith.constant 68 : index
    %c80 = arith.constant 80 : index
    %c104 = arith.constant 104 : index
    %c128 = arith.constant 128 : index
    %v13 = stream.async.splat %c1_i64 : i64 -> !stream.resource<transient>{%c128} loc("op0")
    %v14 = stream.async.dispatch @ex::@b_r_n(%v13[%c64 to %c80 for %c16]) : (!stream.resource<transient>{%c128}) -> !stream.resource<transient>{%c128} loc("op1")
    %v15, %v16 = scf.if %v0 -> (!stream.resource<transient>, !stream.resource<transient>) {
      %v17 = stream.async.dispatch @ex::@a_rrr_n(%v13[%c68 to %c104 for %c36]) : (!stream.resource<transient>{%c128}) -> !stream.resource<transient>{%c128} loc("op23")
      scf.yield %v17, %v1 : !stream.resource<transient>, !stream.resource<transient> loc("op24")
    } else {
      scf.yield %v1, %v14 : !stream.resource<transient>, !stream.resource<transient> loc("op25")
    } loc("op9")
    %v18 = stream.async.dispatch @ex::@a_rr_n(%v13[%c0 to %c128 for %c128], %v16[%c52 to %c68 for %c16]) : (!stream.resource<transient>{%c128}, !stream.resource<transient>{%c128}) -> !stream.resource<transient>{%c16} loc("op26")
    %v19 = stream.async.transfer %v15 : !stream.resource<transient>{%c128} -> !stream.resource<external>{%c128} loc("op28")
    %v20 = stream.tensor.export %v19 : tensor<32xi32> in !stream.resource<external>{%c128} -> !hal.buffer_view loc("op29")
    util.return %v20, %v18 : !hal.buffer_view, !stream.resource<transient> loc("op31")
  }
}
