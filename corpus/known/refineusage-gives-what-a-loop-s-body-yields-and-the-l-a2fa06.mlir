// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-what-a-loop-s-body-yields-and-the-l-a2fa06
// title: RefineUsage gives what a loop's body yields and the loop's result two lifetimes
// signature: accept/refine-usage/scf.for-types-differ
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'scf.for' op along control flow edge from Operation scf.yield to Operation scf.for: successor operand type #1 '!stream.resource<exter
// issue: unreported
// CHECK: error: {{.*}}'scf.for' op along control flow edge from Operation scf.yield to {{.*}}: successor operand type #1 '!stream.resource<external>' should match successor input type #1 '!stream.resource<transient>'

module {
  util.func public @main(%v0: !stream.resource<*>) -> (!hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %v5 = stream.async.transfer %v0 : !stream.resource<*>{%c16} -> to(#hal.device.affinity<@dev_b>) !stream.resource<*>{%c16} loc("op5")
    %v6, %v7 = scf.for %v8 = %c0 to %c3 step %c1 iter_args(%v9 = %v0, %v10 = %v0) -> (!stream.resource<*>, !stream.resource<*>) {
      scf.yield %v10, %v5 : !stream.resource<*>, !stream.resource<*> loc("op14")
    } loc("op9")
    %v11 = stream.async.transfer %v6 : !stream.resource<*>{%c16} -> !stream.resource<external>{%c16} loc("op29")
    %v12 = stream.tensor.export %v11 : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op30")
    util.return %v12 : !hal.buffer_view loc("op37")
  }
}
