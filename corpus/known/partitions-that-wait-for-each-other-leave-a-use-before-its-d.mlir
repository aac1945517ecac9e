// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// REQUIRES: iree-3.11
// id: partitions-that-wait-for-each-other-leave-a-use-before-its-d
// title: Partitions that wait for each other leave a use before its definition
// signature: accept/schedule-execution/operand-does-not-dominate-this-use/in-its-block
// check: accept
// verdict: rejected
// guilty-pass: schedule-execution
// affects: 3.11.0 shows, 3.12.0 not, 3.13.0 not
// expected: the program is valid, so every pass accepts it
// actual: schedule-execution: pass failed: operand #0 does not dominate this use
// issue: unreported
// CHECK: error: {{.*}}operand #0 does not dominate this use

module {
  util.global private @dev_a : !hal.device
  util.func public @main() -> (!hal.buffer_view) {
    %cn1_i8 = arith.constant -1 : i8
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c128 = arith.constant 128 : index
    %v7 = stream.async.splat on(#hal.device.affinity<@dev_a>) %cn1_i8 : i8 -> !stream.resource<transient>{%c8} loc("op0")
    %v10 = stream.async.transfer %v7 : !stream.resource<transient>{%c8} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<staging>{%c8} loc("op1")
    %v12 = stream.async.barrier on(#hal.device.affinity<@dev_a>) %v10 : !stream.resource<staging>{%c8} loc("op2")
    %v13 = stream.async.transfer %v12 : !stream.resource<staging>{%c8} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c8} loc("op3")
    %v14 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@b_rrr_n(%v13[%c4 to %c8 for %c4]) : (!stream.resource<transient>{%c8}) -> !stream.resource<external>{%c128} loc("op4")
    %v15 = stream.tensor.export %v14 : tensor<32xi32> in !stream.resource<external>{%c128} -> !hal.buffer_view loc("op5")
    util.return %v15 : !hal.buffer_view loc("op6")
  }
}
