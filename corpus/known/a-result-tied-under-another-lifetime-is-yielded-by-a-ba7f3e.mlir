// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: a-result-tied-under-another-lifetime-is-yielded-by-a-ba7f3e
// title: A result tied under another lifetime is yielded by a branch as the operand
// signature: accept/schedule-allocation/scf.if-hands-scf.yield-to-results-successor-operand-type-should-match-successor-input-type
// check: accept
// verdict: rejected
// guilty-pass: schedule-allocation
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: schedule-allocation: pass failed: 'scf.if' op along control flow edge from Operation scf.yield to Operation scf.if: successor operand type #0 '!stream.resource<
// issue: unreported
// CHECK: error: {{.*}}'scf.if' op along control flow edge from Operation scf.yield to {{.*}}: successor operand type #0 '!stream.resource<external>' should match successor input type #0 '!stream.resource<transient>'

module {
  util.func public @main(%v0: i1, %v1: !stream.resource<transient>, %v2: i1) -> (!hal.buffer_view) {
    %c4 = arith.constant 4 : index
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %v6 = scf.while (%v7 = %v1) : (!stream.resource<transient>) -> (!stream.resource<*>) {
      %v8 = stream.async.transfer %v7 : !stream.resource<transient>{%c16} -> !stream.resource<*>{%c16} loc("op7")
      scf.condition(%v2) %v8 : !stream.resource<*> loc("op8")
    } do {
    ^bb0(%v9: !stream.resource<*>):
      %v10 = stream.async.alloca : !stream.resource<*>{%c16} loc("op13")
      %v11 = scf.if %v0 -> (!stream.resource<*>) {
        %v12 = stream.async.dispatch @ex::@a_wf64_t(%v9[%c12 to %c16 for %c4]) : (!stream.resource<*>{%c16}) -> %v9 as !stream.resource<transient>{%c16} loc("op15")
        %v13 = stream.async.clone %v12 : !stream.resource<transient>{%c16} -> !stream.resource<*>{%c16} loc("op16")
        scf.yield %v13 : !stream.resource<*> loc("op17")
      } else {
        scf.yield %v10 : !stream.resource<*> loc("op18")
      } loc("op14")
      %v14 = stream.async.transfer %v11 : !stream.resource<*>{%c16} -> !stream.resource<transient>{%c16} loc("op19")
      scf.yield %v14 : !stream.resource<transient> loc("op21")
    } loc("op1")
    %v15 = stream.async.transfer %v6 : !stream.resource<*>{%c16} -> !stream.resource<external>{%c16} loc("op24")
    %v16 = stream.tensor.export %v15 : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op25")
    util.return %v16 : !hal.buffer_view loc("op26")
  }
}
