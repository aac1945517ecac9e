// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-a-loop-s-first-value-and-the-loop-s-cf8dfe
// title: RefineUsage gives a loop's first value and the loop's result two lifetimes
// signature: accept/refine-usage/scf.for-hands-operands-to-results-successor-operand-type-should-match-successor-input-type
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: 'scf.for' op along control flow edge from parent to Operation scf.for: successor operand type #0 '!stream.resource<external>' should match successor input type #0 '!stream.resource<transient>'
// issue: unreported
// CHECK: error: {{.*}}'scf.for' op along control flow edge from parent to {{.*}}: successor operand type #0

module {
  util.func public @main(%v0: index, %v1: index, %v2: !stream.resource<*>, %v3: !stream.resource<transient>) -> (!hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c24 = arith.constant 24 : index
    %c60 = arith.constant 60 : index
    %c84 = arith.constant 84 : index
    %v9 = scf.for %v10 = %c0 to %v1 step %c1 iter_args(%v11 = %v2) -> (!stream.resource<*>) {
      %v12 = stream.async.transfer %v3 : !stream.resource<transient>{%v0} -> to(#hal.device.affinity<@dev_d>) !stream.resource<*>{%v0} loc("op19")
      scf.yield %v12 : !stream.resource<*> loc("op20")
    } loc("op11")
    %v13 = stream.async.dispatch @ex::@b_rrr_n(%v9[%c24 to %c84 for %c60]) : (!stream.resource<*>{%v0}) -> !stream.resource<transient>{%v0} loc("op23")
    %v14 = stream.async.transfer %v13 : !stream.resource<transient>{%v0} -> !stream.resource<external>{%v0} loc("op29")
    %v15 = stream.tensor.export %v14 : tensor<?xi8>{%v0} in !stream.resource<external>{%v0} -> !hal.buffer_view loc("op30")
    util.return %v15 : !hal.buffer_view loc("op31")
  }
}
