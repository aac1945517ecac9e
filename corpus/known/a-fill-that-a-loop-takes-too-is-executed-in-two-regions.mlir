// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize),iree-stream-refine-usage,util.func(canonicalize))' --mlir-print-debuginfo %s > before.mlir
// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution))' --mlir-print-debuginfo before.mlir
// REQUIRES: iree-3.12 || iree-3.13
// id: a-fill-that-a-loop-takes-too-is-executed-in-two-regions
// title: A fill that a loop takes too is executed in two regions
// signature: coverage/schedule-execution/in-several-regions/taken-by-control-flow
// check: coverage
// verdict: broken-contract
// guilty-pass: schedule-execution
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: each op that needs to run is in one execution region, and what a region makes is taken only by those who wait for it
// actual: op1 (stream.async.fill) is executed 2 times in 2 regions
// issue: unreported

module {
  util.func public @main() -> (!hal.buffer_view) {
    %cn1_i16 = arith.constant -1 : i16
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c10 = arith.constant 10 : index
    %c16 = arith.constant 16 : index
    %c20 = arith.constant 20 : index
    %c24 = arith.constant 24 : index
    %c32 = arith.constant 32 : index
    %v10 = stream.async.alloca : !stream.resource<external>{%c32} loc("op0")
    %v11 = stream.async.fill %cn1_i16, %v10[%c10 to %c20 for %c10] : i16 -> %v10 as !stream.resource<external>{%c32} loc("op1")
    %v12 = stream.async.cast %v11 : !stream.resource<external>{%c32} -> !stream.resource<transient>{%c32} loc("op2")
    %v13 = stream.async.dispatch @ex::@a_w_t(%v12[%c24 to %c32 for %c8]) : (!stream.resource<transient>{%c32}) -> !stream.resource<external>{%c32} loc("op6")
    %v14 = scf.for %v15 = %c0 to %c2 step %c1 iter_args(%v16 = %v13) -> (!stream.resource<external>) {
      %v17 = stream.async.dispatch @ex::@b_rrri32_n(%v12[%c8 to %c16 for %c8]) : (!stream.resource<transient>{%c32}) -> !stream.resource<external>{%c32} loc("op10")
      scf.yield %v17 : !stream.resource<external> loc("op11")
    } loc("op8")
    %v18 = stream.async.transfer %v14 : !stream.resource<external>{%c32} -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c32} loc("op12")
    %v19 = stream.tensor.export %v18 : tensor<8xi32> in !stream.resource<external>{%c32} -> !hal.buffer_view loc("op13")
    util.return %v19 : !hal.buffer_view loc("op17")
  }
}
