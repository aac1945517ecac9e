// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-what-a-while-s-body-yields-and-the-3b9121
// title: RefineUsage gives what a while's body yields and the loop's argument two lifetimes
// signature: accept/refine-usage/scf.while-hands-scf.yield-to-region-successor-operand-type-should-match-successor-input-ty
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: 'scf.while' op along control flow edge from Operation scf.yield to Region #0: successor operand type #0 '!stream.resource<external>' should match successor input type #0 '!stream.resource<transient>'
// issue: unreported
// CHECK: error: {{.*}}'scf.while' op along control flow edge from Operation scf.yield to Region #0: successor operand type #0

module {
  util.func public @main(%v0: i1, %v1: !stream.resource<staging>, %v2: !stream.resource<*>) -> (!hal.buffer_view) {
    %c16 = arith.constant 16 : index
    %v4 = stream.async.alloca : !stream.resource<*>{%c16} loc("op1")
    %v5 = scf.while (%v6 = %v4) : (!stream.resource<*>) -> (!stream.resource<*>) {
      %v7, %v8 = stream.timepoint.barrier %v6 : !stream.resource<*>{%c16} => !stream.timepoint loc("op4")
      %v9, %v10 = stream.timepoint.await %v8 => %v7, %v2 : !stream.resource<*>{%c16}, !stream.resource<*>{%c16} loc("op7")
      scf.condition(%v0) %v10 : !stream.resource<*> loc("op8")
    } do {
    ^bb0(%v11: !stream.resource<*>):
      %v12 = stream.async.transfer %v1 : !stream.resource<staging>{%c16} -> !stream.resource<*>{%c16} loc("op13")
      scf.yield %v12 : !stream.resource<*> loc("op15")
    } loc("op2")
    %v13 = stream.async.transfer %v5 : !stream.resource<*>{%c16} -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c16} loc("op16")
    %v14 = stream.tensor.export %v13 : tensor<8xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op17")
    util.return %v14 : !hal.buffer_view loc("op18")
  }
}
