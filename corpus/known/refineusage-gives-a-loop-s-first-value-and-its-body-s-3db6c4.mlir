// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-a-loop-s-first-value-and-its-body-s-3db6c4
// title: RefineUsage gives a loop's first value and its body's argument two lifetimes
// signature: accept/refine-usage/scf.for-hands-operands-to-region-successor-operand-type-should-match-successor-input-type
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'scf.for' op along control flow edge from parent to Region #0: successor operand type #0 '!stream.resource<external>' should match su
// issue: unreported
// CHECK: error: {{.*}}'scf.for' op along control flow edge from parent to Region #0: successor operand type #0 '!stream.resource<external>' should match successor input type #0 '!stream.resource<transient>'

module {
  util.func public @main(%v0: index) -> (!hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c108 = arith.constant 108 : index
    %c116 = arith.constant 116 : index
    %c128 = arith.constant 128 : index
    %v8 = stream.async.alloca : !stream.resource<*>{%c128} loc("op0")
    %v9 = stream.async.transfer %v8 : !stream.resource<*>{%c128} -> to(#hal.device.affinity<@dev_b>) !stream.resource<*>{%c128} loc("op1")
    %v10 = scf.for %v11 = %c0 to %c2 step %c1 iter_args(%v12 = %v9) -> (!stream.resource<*>) {
      %v13 = scf.for %v14 = %c0 to %v0 step %c1 iter_args(%v15 = %v9) -> (!stream.resource<*>) {
        scf.yield %v8 : !stream.resource<*> loc("op14")
      } loc("op3")
      %v16 = stream.async.dispatch @ex::@a_rri32_n(%v13[%c108 to %c116 for %c8]) : (!stream.resource<*>{%c128}) -> !stream.resource<*>{%c128} loc("op16")
      scf.yield %v16 : !stream.resource<*> loc("op17")
    } loc("op2")
    %v17 = stream.async.transfer %v10 : !stream.resource<*>{%c128} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<external>{%c128} loc("op27")
    %v18 = stream.tensor.export %v17 : tensor<32xi32> in !stream.resource<external>{%c128} -> !hal.buffer_view loc("op28")
    util.return %v18 : !hal.buffer_view loc("op34")
  }
}
