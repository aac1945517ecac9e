// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// REQUIRES: iree-3.12 || iree-3.13
// id: refineusage-gives-what-a-loop-s-body-yields-and-its-a-d53904
// title: RefineUsage gives what a loop's body yields and its argument two lifetimes
// signature: accept/refine-usage/scf.for-hands-scf.yield-to-region-successor-operand-type-should-match-successor-input-type
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'scf.for' op along control flow edge from Operation scf.yield to Region #0: successor operand type #0 '!stream.resource<external>' sh
// issue: unreported
// CHECK: error: {{.*}}'scf.for' op along control flow edge from Operation scf.yield to Region #0: successor operand type #0 '!stream.resource<external>' should match successor input type #0 '!stream.resource<transient>'

module {
  util.func public @main() -> (!hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %v4 = stream.async.alloca : !stream.resource<*>{%c16} loc("op1")
    %v5 = scf.for %v6 = %c0 to %c3 step %c1 iter_args(%v7 = %v4) -> (!stream.resource<*>) {
      %v8 = stream.async.alloca : !stream.resource<transient>{%c16} loc("op13")
      %v9 = stream.async.cast %v8 : !stream.resource<transient>{%c16} -> !stream.resource<*>{%c16} loc("op14")
      scf.yield %v9 : !stream.resource<*> loc("op15")
    } loc("op12")
    %v10 = stream.async.transfer %v5 : !stream.resource<*>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c16} loc("op17")
    %v11 = stream.tensor.export %v10 : tensor<8xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op18")
    util.return %v11 : !hal.buffer_view loc("op19")
  }
}
