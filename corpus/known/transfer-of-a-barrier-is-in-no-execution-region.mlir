// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution))' %s | filecheck %s
// id: transfer-of-a-barrier-is-in-no-execution-region
// title: A transfer of a barrier's result is in no execution region
// signature: coverage/schedule-execution/outside-of-every-region/behind-a-barrier
// check: coverage
// verdict: broken-contract
// guilty-pass: schedule-execution
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the transfer is in an execution region
// actual: it remains among the ops of the host (later refused, see transfer-of-a-barrier-s-result-is-left-outside-every-executi)
// issue: unreported
// CHECK: stream.timepoint.await
// CHECK-NEXT: stream.async.transfer

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @main(%x: !stream.resource<external>) -> (!stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %d = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@d(%x[%c0 to %c16 for %c16]) : (!stream.resource<external>{%c16}) -> !stream.resource<transient>{%c16} loc("op0")
    %b = stream.async.barrier on(#hal.device.affinity<@dev_a>) %d : !stream.resource<transient>{%c16} loc("op1")
    %t = stream.async.transfer %b : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<external>{%c16} loc("op2")
    util.return %t : !stream.resource<external> loc("op3")
  }
}
