// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: a-region-takes-what-an-await-gave-another-lifetime
// title: A region takes what an await has given another lifetime
// signature: accept/schedule-execution/stream.async.execute-types-differ
// check: accept
// verdict: rejected
// guilty-pass: schedule-execution
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: schedule-execution: pass failed: 'stream.async.execute' op along control flow edge from parent to Region #0: successor operand type #0 '!stream.resource<externa
// issue: unreported
// CHECK: error: {{.*}}'stream.async.execute' op along control flow edge from parent to Region #0: successor operand type #0 '!stream.resource<external>' should match successor input type #0 '!stream.resource<variable>'

module {
  util.global public mutable @g0 : !stream.resource<variable>
  util.func public @main(%v0: !stream.resource<transient>) -> (!stream.resource<*>) {
    %c16 = arith.constant 16 : index
    %v2 = stream.async.transfer %v0 : !stream.resource<transient>{%c16} -> to(#hal.device.affinity<@dev_c>) !stream.resource<*>{%c16} loc("op5")
    %v3, %v4 = stream.timepoint.barrier %v2 : !stream.resource<*>{%c16} => !stream.timepoint loc("op6")
    %v5 = stream.timepoint.await %v4 => %v3 : !stream.resource<*>{%c16} loc("op7")
    %v6 = stream.async.transfer %v5 : !stream.resource<*>{%c16} -> to(#hal.device.affinity<@dev_a, [0, 1]>) !stream.resource<variable>{%c16} loc("op20")
    util.global.store %v6, @g0 : !stream.resource<variable> loc("op21")
    util.return %v3 : !stream.resource<*> loc("op30")
  }
}
