// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: a-splat-that-a-nested-region-takes-too-is-left-outsid-6c004b
// title: A splat that a nested region takes too is left outside every execution region and refused
// signature: accept/verify-lowering-to-async/stream.async.splat-op-streamable-op-expected-to-be-in-an-execution-region
// check: accept
// verdict: rejected
// guilty-pass: verify-lowering-to-async
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: materialize-builtins: pass failed: 'stream.async.splat' op : streamable op expected to be in an execution region
// issue: unreported
// CHECK: error: {{.*}}'stream.async.splat' op : streamable op expected to be in an execution region

module {
  util.func public @main(%v0: i1, %v1: !stream.resource<external>) -> (!hal.buffer_view) {
    %c85_i8 = arith.constant 85 : i8
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c76 = arith.constant 76 : index
    %c108 = arith.constant 108 : index
    %c128 = arith.constant 128 : index
    %v9 = stream.async.splat %c85_i8 : i8 -> !stream.resource<external>{%c8} loc("op0")
    %v10 = stream.async.dispatch @ex::@b_r_n(%v9[%c0 to %c8 for %c8]) : (!stream.resource<external>{%c8}) -> !stream.resource<transient>{%c8} loc("op2")
    %v11, %v12 = scf.if %v0 -> (!stream.resource<external>, !stream.resource<external>) {
      %v13 = stream.async.transfer %v9 : !stream.resource<external>{%c8} -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c8} loc("op19")
      %v14 = stream.async.alloca : !stream.resource<transient>{%c8} loc("op23")
      %v15 = stream.async.dispatch @ex::@b_rrr_n(%v13[%c0 to %c8 for %c8], %v14[%c0 to %c8 for %c8]) : (!stream.resource<transient>{%c8}, !stream.resource<transient>{%c8}) -> !stream.resource<external>{%c8} loc("op24")
      scf.yield %v15, %v9 : !stream.resource<external>, !stream.resource<external> loc("op25")
    } else {
      scf.yield %v1, %v9 : !stream.resource<external>, !stream.resource<external> loc("op26")
    } loc("op17")
    %v16 = stream.async.dispatch @ex::@b_rrr_n(%v10[%c0 to %c8 for %c8]) : (!stream.resource<transient>{%c8}) -> !stream.resource<transient>{%c128} loc("op27")
    %v17 = stream.async.dispatch @ex::@b_rrr_n(%v11[%c0 to %c8 for %c8], %v12[%c0 to %c8 for %c8], %v16[%c76 to %c108 for %c32]) : (!stream.resource<external>{%c8}, !stream.resource<external>{%c8}, !stream.resource<transient>{%c128}) -> !stream.resource<external>{%c8} loc("op28")
    %v18 = stream.tensor.export %v17 : tensor<2xi32> in !stream.resource<external>{%c8} -> !hal.buffer_view loc("op31")
    util.return %v18 : !hal.buffer_view loc("op32")
  }
}
