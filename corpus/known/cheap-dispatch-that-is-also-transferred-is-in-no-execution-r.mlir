// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution))' %s | filecheck %s
// REQUIRES: iree-3.12 || iree-3.13
// id: cheap-dispatch-that-is-also-transferred-is-in-no-execution-r
// title: A dispatch without operands that is used in a nested region and transferred remains outside of every region
// signature: coverage/schedule-execution/outside-of-every-region/stream.async.dispatch
// check: coverage
// verdict: broken-contract
// guilty-pass: schedule-execution
// affects: 3.11.0 not, 3.12.0 shows, 3.13.0 shows
// expected: every copy of the dispatch is in an execution region
// actual: one copy remains among the ops of the host, and a region captures its result
// issue: unreported
// CHECK: arith.constant 16
// CHECK-NEXT: stream.async.dispatch

module {
  util.global private @dev_b : !hal.device
  util.global private @dev_c : !hal.device
  util.func public @main(%v0: i1) -> (!hal.buffer_view, !hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %v5 = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@d() : () -> !stream.resource<external>{%c16} loc("op0")
    %v6 = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@d(%v5[%c0 to %c16 for %c16]) : (!stream.resource<external>{%c16}) -> !stream.resource<transient>{%c16} loc("op1")
    %v7 = scf.if %v0 -> (!stream.resource<transient>) {
      %v8 = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@d(%v5[%c0 to %c4 for %c4]) : (!stream.resource<external>{%c16}) -> !stream.resource<transient>{%c16} loc("op6")
      scf.yield %v8 : !stream.resource<transient> loc("op7")
    } else {
      scf.yield %v6 : !stream.resource<transient> loc("op17")
    } loc("op2")
    %v9 = stream.async.transfer %v5 : !stream.resource<external>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_c>) !stream.resource<transient>{%c16} loc("op20")
    %v10 = stream.async.clone on(#hal.device.affinity<@dev_b>) %v7 : !stream.resource<transient>{%c16} -> !stream.resource<external>{%c16} loc("op32")
    %v11 = stream.tensor.export on(#hal.device.affinity<@dev_b>) %v10 : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op33")
    %v12 = stream.async.clone on(#hal.device.affinity<@dev_c>) %v9 : !stream.resource<transient>{%c16} -> !stream.resource<external>{%c16} loc("op34")
    %v13 = stream.tensor.export on(#hal.device.affinity<@dev_c>) %v12 : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op35")
    util.return %v11, %v13 : !hal.buffer_view, !hal.buffer_view loc("op36")
  }
}
