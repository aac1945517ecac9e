// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution))' %s | filecheck %s
// id: region-that-takes-what-is-behind-two-barriers-forgets-its-ot
// title: A region that takes what is behind two barriers forgets to wait for another device
// signature: coverage/schedule-execution/use-without-wait/by-stream.async.execute
// check: coverage
// verdict: broken-contract
// guilty-pass: schedule-execution
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the last region waits for the region on @dev_b, whose result it takes
// actual: it waits for the first region alone: ChainDependentAwaits replaces the timepoints that are already there (setAwaitTimepoints)
// issue: unreported
// CHECK: %[[A:.*]]:2, %[[TA:.*]] = stream.async.execute on(#hal.device.affinity<@dev_a>)
// CHECK: %[[B:.*]], %[[TB:.*]] = stream.async.execute on(#hal.device.affinity<@dev_b>)
// CHECK: stream.async.execute on(#hal.device.affinity<@dev_a>) await(%[[TA]]) => with({{.*}}%[[B]]

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @main(%x: !stream.resource<external>) -> (!stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %d = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@d(%x[%c0 to %c16 for %c16]) : (!stream.resource<external>{%c16}) -> !stream.resource<transient>{%c16} loc("op0")
    %b = stream.async.barrier on(#hal.device.affinity<@dev_a>) %d : !stream.resource<transient>{%c16} loc("op1")
    %c = stream.async.barrier on(#hal.device.affinity<@dev_a>) %b : !stream.resource<transient>{%c16} loc("op2")
    %s = stream.async.transfer %d : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c16} loc("op3")
    %w = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@d(%s[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> !stream.resource<transient>{%c16} loc("op4")
    %r = stream.async.transfer %w : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c16} loc("op5")
    %l = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@d(%c[%c0 to %c16 for %c16], %r[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}, !stream.resource<transient>{%c16}) -> !stream.resource<external>{%c16} loc("op6")
    util.return %l : !stream.resource<external> loc("op7")
  }
}
