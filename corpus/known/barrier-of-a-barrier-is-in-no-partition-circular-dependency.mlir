// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: barrier-of-a-barrier-is-in-no-partition-circular-dependency
// title: Barrier of a barrier is in no partition: circular dependency
// signature: accept/schedule-execution/circular-dependency-input-operation-uses-partition-output
// check: accept
// verdict: rejected
// guilty-pass: schedule-execution
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: schedule-execution: pass failed: circular dependency: input operation uses partition output %2 = "stream.async.barrier"(%1, %0) : (!stream.resource<external>, i
// issue: unreported
// CHECK: error: {{.*}}circular dependency: input operation uses partition output

module {
  util.global private @dev_a : !hal.device
  util.func public @main(%v4: !stream.resource<transient>) -> (!hal.buffer_view, !stream.resource<staging>) {
    %c8 = arith.constant 8 : index
    %v5 = stream.async.cast on(#hal.device.affinity<@dev_a>) %v4 : !stream.resource<transient>{%c8} -> !stream.resource<external>{%c8} loc("op0")
    %v6 = stream.async.barrier %v5 : !stream.resource<external>{%c8} loc("op1")
    %v8 = stream.async.barrier on(#hal.device.affinity<@dev_a>) %v6 : !stream.resource<external>{%c8} loc("op2")
    %v9 = stream.async.clone on(#hal.device.affinity<@dev_a>) %v8 : !stream.resource<external>{%c8} -> !stream.resource<*>{%c8} loc("op3")
    %v10 = stream.tensor.export %v8 : tensor<2xi32> in !stream.resource<external>{%c8} -> !hal.buffer_view loc("op4")
    %v11 = stream.async.transfer %v9 : !stream.resource<*>{%c8} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<staging>{%c8} loc("op5")
    util.return %v10, %v11 : !hal.buffer_view, !stream.resource<staging> loc("op6")
  }
}
