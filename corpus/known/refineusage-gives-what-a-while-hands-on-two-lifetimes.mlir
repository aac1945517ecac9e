// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-what-a-while-hands-on-two-lifetimes
// title: RefineUsage gives what a while hands on two lifetimes
// signature: accept/refine-usage/scf.while-hands-scf.condition-to-results-successor-operand-type-should-match-successor-inp
// check: accept
// asked-by: roundtrip
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'scf.while' op along control flow edge from Operation scf.condition to Operation scf.while: successor operand type #0 '!stream.resour
// issue: unreported
// CHECK: error: {{.*}}'scf.while' op along control flow edge from Operation scf.condition to {{.*}}: successor operand type #0 '!stream.resource<external>' should match successor input type #0 '!stream.resource<transient>'

module {
  util.func public @main(%v0: index, %v1: index) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %v5 = stream.async.alloca : !stream.resource<*>{%c16} loc("op0")
    cf.br ^bb1 loc("op1")
  ^bb1:
    %v6 = scf.while : () -> (!stream.resource<*>) {
      %v7 = "arith.cmpi"(%c16, %c0) <{predicate = 1}> : (index, index) -> (i1) loc("op5")
      %v8 = stream.async.transfer %v5 : !stream.resource<*>{%c16} -> to(#hal.device.affinity<@dev_a>) !stream.resource<*>{%c16} loc("op6")
      scf.condition(%v7) %v8 : !stream.resource<*> loc("op7")
    } do {
    ^bb0(%v9: !stream.resource<*>):
      %v10 = util.call @f0(%v9) : (!stream.resource<*>) -> !stream.resource<*> loc("op17")
      scf.yield loc("op25")
    } loc("op4")
    cf.br ^bb1 loc("op29")
  }
  util.func public @f0(%v11: !stream.resource<*>) -> (!stream.resource<*>) attributes {inlining_policy = #util.inline.never} {
    util.return %v11 : !stream.resource<*> loc("op15")
  }
}
