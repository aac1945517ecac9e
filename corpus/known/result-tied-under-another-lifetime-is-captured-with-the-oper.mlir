// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: result-tied-under-another-lifetime-is-captured-with-the-oper
// title: Result tied under another lifetime is captured with the operand's type
// signature: accept/schedule-allocation/stream.cmd.execute-op-along-control-flow-edge-from-parent-to-region-successor-operand-type
// check: accept
// verdict: rejected
// guilty-pass: schedule-allocation
// affects: 3.11.0 not, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: schedule-allocation: pass failed: 'stream.cmd.execute' op along control flow edge from parent to Region #0: successor operand type #0 '!stream.resource<transien
// issue: unreported
// CHECK: error: {{.*}}'stream.cmd.execute' op along control flow edge from parent to Region #0: successor operand type #0 '!stream.resource<transient>' should match successor input type #0 '!stream.resource<external>'

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_c : !hal.device
  util.func public @main() -> (!hal.buffer_view) {
    %c127_i32 = arith.constant 127 : i32
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %v7 = stream.async.splat on(#hal.device.affinity<@dev_a>) %c127_i32 : i32 -> !stream.resource<transient>{%c8} loc("op0")
    %v10 = stream.async.dispatch on(#hal.device.affinity<@dev_c>) @ex::@b_w_t(%v7[%c0 to %c8 for %c8]) : (!stream.resource<transient>{%c8}) -> %v7 as !stream.resource<external>{%c8} loc("op1")
    %v11 = stream.async.transfer %v10 : !stream.resource<external>{%c8} from(#hal.device.affinity<@dev_c>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c8} loc("op2")
    %v13 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@a_rri32_n(%v11[%c0 to %c4 for %c4]) : (!stream.resource<transient>{%c8}) -> !stream.resource<external>{%c8} loc("op3")
    %v14 = stream.tensor.export %v13 : tensor<2xi32> in !stream.resource<external>{%c8} -> !hal.buffer_view loc("op4")
    util.return %v14 : !hal.buffer_view loc("op5")
  }
}
