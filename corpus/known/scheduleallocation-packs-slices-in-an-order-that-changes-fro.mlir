// RUN: bash -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do iree-opt --iree-stream-transformation-pipeline %s | cksum; done' | sort -u | wc -l | filecheck %s
// id: scheduleallocation-packs-slices-in-an-order-that-changes-fro
// title: ScheduleAllocation packs slices in an order that changes from run to run
// signature: determinism/schedule-allocation/differs
// check: determinism
// verdict: broken-contract
// guilty-pass: schedule-allocation
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: one output
// actual: two outputs, which differ in the order of packed slices
// issue: unreported
// CHECK-NOT: {{^ *1$}}

module {
  util.global private @dev_b : !hal.device
  util.func public @main() -> (!hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %v14, %v15 = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@a_i8_nn() : () -> (!stream.resource<external>{%c8}, !stream.resource<transient>{%c8}) loc("op0")
    %v30 = stream.async.transfer %v15 : !stream.resource<transient>{%c8} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c8} loc("op1")
    %v31 = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@a_rrr_n(%v14[%c0 to %c8 for %c8], %v30[%c0 to %c4 for %c4]) : (!stream.resource<external>{%c8}, !stream.resource<transient>{%c8}) -> !stream.resource<external>{%c16} loc("op2")
    %v34 = stream.tensor.export %v31 : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op3")
    util.return %v34 : !hal.buffer_view loc("op4")
  }
}
