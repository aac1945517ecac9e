// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// REQUIRES: iree-3.12 || iree-3.13
// id: transfer-barrier-and-transfer-back-with-an-update-cannot-be
// title: Transfer, barrier and transfer back with an update cannot be scheduled
// signature: accept/schedule-execution/failed-to-schedule-execution-partitions-without-cyclic-dependencies
// check: accept
// verdict: rejected
// guilty-pass: schedule-execution
// affects: 3.11.0 not, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: schedule-execution: pass failed: failed to schedule execution partitions without cyclic dependencies
// issue: unreported
// CHECK: error: {{.*}}failed to schedule execution partitions without cyclic dependencies

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @main() -> (!hal.buffer_view) {
    %c7_i8 = arith.constant 7 : i8
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %v10 = stream.async.splat on(#hal.device.affinity<@dev_b>) %c7_i8 : i8 -> !stream.resource<*>{%c64} loc("op0")
    %v11 = stream.async.transfer %v10 : !stream.resource<*>{%c64} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<*>{%c64} loc("op1")
    %v12 = stream.async.barrier on(#hal.device.affinity<@dev_a>) %v11 : !stream.resource<*>{%c64} loc("op2")
    %v13 = stream.async.slice on(#hal.device.affinity<@dev_a>) %v12[%c0 to %c32] : !stream.resource<*>{%c64} -> !stream.resource<*>{%c32} loc("op3")
    %v14 = stream.async.transfer %v13 : !stream.resource<*>{%c32} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<*>{%c32} loc("op4")
    %v15 = stream.async.update on(#hal.device.affinity<@dev_b>) %v14, %v10[%c0 to %c32] : !stream.resource<*>{%c32} -> %v10 as !stream.resource<*>{%c64} loc("op5")
    %v18 = stream.async.transfer %v15 : !stream.resource<*>{%c64} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<external>{%c64} loc("op6")
    %v19 = stream.tensor.export %v18 : tensor<16xi32> in !stream.resource<external>{%c64} -> !hal.buffer_view loc("op7")
    util.return %v19 : !hal.buffer_view loc("op8")
  }
}
