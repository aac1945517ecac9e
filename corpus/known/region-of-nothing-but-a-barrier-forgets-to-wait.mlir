// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution))' %s | filecheck %s
// id: region-of-nothing-but-a-barrier-forgets-to-wait
// title: A region of nothing but a barrier hands on what it takes without waiting for it
// signature: coverage/schedule-execution/use-without-wait/behind-a-barrier
// check: coverage
// verdict: broken-contract
// guilty-pass: schedule-execution
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: both sides of the select are awaited
// actual: one is taken as the region hands it out: ElideNoOpAsyncExecuteOp gives an immediate timepoint, not the one that the region waits for
// issue: unreported
// CHECK: stream.timepoint.await
// CHECK-NEXT: arith.select %arg1, %results#0,

module {
  util.global private @dev_a : !hal.device
  util.func public @main(%x: !stream.resource<external>, %choice: i1) -> (!stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %d = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@d(%x[%c0 to %c16 for %c16]) : (!stream.resource<external>{%c16}) -> !stream.resource<transient>{%c16} loc("op0")
    %e = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@d(%x[%c0 to %c16 for %c16]) : (!stream.resource<external>{%c16}) -> !stream.resource<transient>{%c16} loc("op1")
    %r = scf.if %choice -> (!stream.resource<transient>) {
      %b = stream.async.barrier on(#hal.device.affinity<@dev_a>) %d : !stream.resource<transient>{%c16} loc("op2")
      scf.yield %b : !stream.resource<transient> loc("op3")
    } else {
      scf.yield %e : !stream.resource<transient> loc("op4")
    } loc("op5")
    util.return %r : !stream.resource<transient> loc("op6")
  }
}
