// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: result-tied-under-another-lifetime-is-captured-with-the-oper
// title: Result tied under another lifetime is captured with the operand's type
// signature: accept/schedule-allocation/stream.cmd.execute-hands-operands-to-region-successor-operand-type-should-match-successor
// check: accept
// verdict: rejected
// guilty-pass: schedule-allocation
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: schedule-allocation: pass failed: 'stream.cmd.execute' op along control flow edge from parent to Region #0: successor operand type #0 '!stream.resource<external
// issue: unreported
// CHECK: error: {{.*}}'stream.cmd.execute' op along control flow edge from parent to Region #0: successor operand type #0 '!stream.resource<external>' should match successor input type #0 '!stream.resource<transient>'

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @main(%v0: index, %v1: !hal.buffer_view) -> (!hal.buffer_view, !stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c36 = arith.constant 36 : index
    %c64 = arith.constant 64 : index
    %c100 = arith.constant 100 : index
    %v16 = stream.tensor.import %v1 : !hal.buffer_view -> tensor<?xi8>{%v0} in !stream.resource<external>{%v0} loc("op0")
    %v19 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@b_w_t(%v16[%c64 to %c100 for %c36]) : (!stream.resource<external>{%v0}) -> %v16 as !stream.resource<transient>{%v0} loc("op1")
    %v20 = stream.async.transfer %v19 : !stream.resource<transient>{%v0} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a, [0]>) !stream.resource<transient>{%v0} loc("op2")
    %v21 = stream.async.clone on(#hal.device.affinity<@dev_a>) %v19 : !stream.resource<transient>{%v0} -> !stream.resource<*>{%v0} loc("op3")
    %v24 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@b_rrr_n(%v21[%c0 to %v0 for %v0]) : (!stream.resource<*>{%v0}) -> !stream.resource<external>{%c8} loc("op4")
    %v26 = stream.async.transfer %v20 : !stream.resource<transient>{%v0} from(#hal.device.affinity<@dev_a, [0]>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<external>{%v0} loc("op5")
    %v27 = stream.tensor.export %v26 : tensor<?xi8>{%v0} in !stream.resource<external>{%v0} -> !hal.buffer_view loc("op6")
    util.return %v27, %v24 : !hal.buffer_view, !stream.resource<external> loc("op7")
  }
}
