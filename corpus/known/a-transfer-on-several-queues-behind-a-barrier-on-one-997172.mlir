// RUN: iree-opt '--pass-pipeline=builtin.module()' --mlir-print-debuginfo %s > before.mlir
// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution))' --mlir-print-debuginfo before.mlir
// REQUIRES: iree-3.12 || iree-3.13
// id: a-transfer-on-several-queues-behind-a-barrier-on-one-997172
// title: A transfer on several queues behind a barrier on one gets a region without affinity
// signature: execution/schedule-execution/region-without-affinity/against-nothing
// check: execution
// verdict: broken-contract
// guilty-pass: schedule-execution
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: what says on(D) is in an execution region on D, or is gone because nobody needs it, another op does the same, or it was a hop that is not made
// actual: op14 (stream.async.transfer) says on(#hal.device.affinity<@dev_a, [0, 1]>); the region that holds it, as stream.async.transfer, has no affinity
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<external>) -> (!hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %v5 = stream.async.barrier on(#hal.device.affinity<@dev_a, [1]>) %v0 : !stream.resource<external>{%c16} loc("op13")
    %v6 = stream.async.transfer on(#hal.device.affinity<@dev_a, [0, 1]>) %v5 : !stream.resource<external>{%c16} -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c16} loc("op14")
    %v7 = stream.async.dispatch @ex::@a_rr_n(%v6[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> !stream.resource<external>{%c16} loc("op15")
    %v8 = stream.tensor.export %v7 : tensor<8xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op37")
    util.return %v8 : !hal.buffer_view loc("op41")
  }
}
