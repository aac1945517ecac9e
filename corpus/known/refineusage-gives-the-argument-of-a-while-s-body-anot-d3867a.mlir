// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-the-argument-of-a-while-s-body-anot-d3867a
// title: RefineUsage gives the argument of a while's body another lifetime
// signature: accept/refine-usage/scf.while-types-differ
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'scf.while' op along control flow edge from Operation scf.condition to Region #1: successor operand type #0 '!stream.resource<externa
// issue: unreported
// CHECK: error: {{.*}}'scf.while' op along control flow edge from Operation scf.condition to Region #1: successor operand type #0 '!stream.resource<external>' should match successor input type #0 '!stream.resource<transient>'

module {
  util.func public @main(%v0: !stream.resource<transient>, %v1: i1) -> (!stream.resource<external>) {
    %c16 = arith.constant 16 : index
    %v3 = scf.while : () -> (!stream.resource<*>) {
      %v4 = stream.async.transfer %v0 : !stream.resource<transient>{%c16} -> to(#hal.device.affinity<@dev_a>) !stream.resource<*>{%c16} loc("op5")
      scf.condition(%v1) %v4 : !stream.resource<*> loc("op6")
    } do {
    ^bb0(%v5: !stream.resource<*>):
      scf.yield loc("op17")
    } loc("op1")
    %v6 = stream.async.transfer %v3 : !stream.resource<*>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c16} loc("op20")
    util.return %v6 : !stream.resource<external> loc("op21")
  }
}
