// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: barrier-of-a-barrier-is-in-no-partition-circular-dependency
// title: Barrier of a barrier is in no partition: circular dependency
// signature: accept/schedule-execution/circular-dependency-input-operation-uses-partition-output
// check: accept
// verdict: rejected
// guilty-pass: schedule-execution
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: schedule-execution: pass failed: circular dependency: input operation uses partition output %3 = "stream.async.barrier"(%2, %1) <{affinity = #hal.device.affinit
// issue: unreported
// CHECK: error: {{.*}}circular dependency: input operation uses partition output

module {
  util.global private @dev_a : !hal.device
  util.func public @main() -> (!hal.buffer_view) {
    %c7_i8 = arith.constant 7 : i8
    %c32 = arith.constant 32 : index
    %v7 = stream.async.splat on(#hal.device.affinity<@dev_a>) %c7_i8 : i8 -> !stream.resource<transient>{%c32} loc("op0")
    %v9 = stream.async.barrier on(#hal.device.affinity<@dev_a>) %v7 : !stream.resource<transient>{%c32} loc("op1")
    %v10 = stream.async.barrier %v9 : !stream.resource<transient>{%c32} loc("op2")
    %v12 = stream.async.transfer %v10 : !stream.resource<transient>{%c32} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c32} loc("op3")
    %v13 = stream.tensor.export %v12 : tensor<8xi32> in !stream.resource<external>{%c32} -> !hal.buffer_view loc("op4")
    util.return %v13 : !hal.buffer_view loc("op5")
  }
}
