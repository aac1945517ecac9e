// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// REQUIRES: iree-3.12 || iree-3.13
// id: partition-of-one-queue-refuses-its-own-producer-on-all-queue
// title: Partition of one queue refuses its own producer on all queues
// signature: accept/schedule-execution/op-affinity-is-not-compatible-with-the-partition-affinity-one-device
// check: accept
// verdict: rejected
// guilty-pass: schedule-execution
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: schedule-execution: pass failed: op affinity #hal.device.affinity<@dev_a> is not compatible with the partition affinity #hal.device.affinity<@dev_a, [0]>
// issue: unreported
// CHECK: error: {{.*}}op affinity

module {
  util.global private @dev_a : !hal.device
  util.func public @main() -> (!hal.buffer_view) {
    %c16 = arith.constant 16 : index
    %v17 = stream.async.constant on(#hal.device.affinity<@dev_a>) : !stream.resource<constant>{%c16} = dense<3> : tensor<4xi32> loc("op0")
    %v21 = stream.async.transfer on(#hal.device.affinity<@dev_a, [0]>) %v17 : !stream.resource<constant>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a, [0]>) !stream.resource<external>{%c16} loc("op1")
    %v22 = stream.tensor.export %v21 : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op2")
    util.return %v22 : !hal.buffer_view loc("op3")
  }
}
