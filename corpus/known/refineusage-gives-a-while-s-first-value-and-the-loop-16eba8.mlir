// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-a-while-s-first-value-and-the-loop-16eba8
// title: RefineUsage gives a while's first value and the loop's argument two lifetimes
// signature: accept/refine-usage/scf.while-hands-operands-to-region-successor-operand-type-should-match-successor-input-typ
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: 'scf.while' op along control flow edge from parent to Region #0: successor operand type #0 '!stream.resource<external>' should match successor input type #0 '!stream.resource<transient>'
// issue: unreported
// CHECK: error: {{.*}}'scf.while' op along control flow edge from parent to Region #0: successor operand type #0

module {
  util.func public @main(%v0: !stream.resource<transient>, %v1: i1) -> (!hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c44 = arith.constant 44 : index
    %c52 = arith.constant 52 : index
    %c64 = arith.constant 64 : index
    %v7 = stream.async.transfer %v0 : !stream.resource<transient>{%c64} -> to(#hal.device.affinity<@dev_a>) !stream.resource<*>{%c64} loc("op1")
    %v8 = scf.while (%v9 = %v7) : (!stream.resource<*>) -> (!stream.resource<*>) {
      scf.condition(%v1) %v9 : !stream.resource<*> loc("op5")
    } do {
    ^bb0(%v10: !stream.resource<*>):
      %v11 = stream.async.alloca : !stream.resource<*>{%c64} loc("op10")
      scf.yield %v11 : !stream.resource<*> loc("op12")
    } loc("op2")
    %v12 = stream.async.dispatch @ex::@b_wri8_t(%v7[%c8 to %c52 for %c44], %v8[%c0 to %c64 for %c64]) : (!stream.resource<*>{%c64}, !stream.resource<*>{%c64}) -> %v7 as !stream.resource<transient>{%c64} loc("op16")
    %v13 = stream.async.transfer %v12 : !stream.resource<transient>{%c64} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c64} loc("op19")
    %v14 = stream.tensor.export %v13 : tensor<16xi32> in !stream.resource<external>{%c64} -> !hal.buffer_view loc("op20")
    util.return %v14 : !hal.buffer_view loc("op21")
  }
}
