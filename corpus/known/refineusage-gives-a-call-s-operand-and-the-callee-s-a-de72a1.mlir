// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-a-call-s-operand-and-the-callee-s-a-de72a1
// title: RefineUsage gives a call's operand and the callee's argument two lifetimes
// signature: accept/refine-usage/util.call-types-differ
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'util.call' op function type mismatch; expected '(!stream.resource<transient>) -> ()' but callee is '(!stream.resource<external>) -> 
// issue: unreported
// CHECK: error: {{.*}}'util.call' op function type mismatch; expected '(!stream.resource<transient>) -> ()' but callee is '(!stream.resource<external>) -> ()'

module {
  util.func public @main() {
    %c8 = arith.constant 8 : index
    %v1 = stream.async.alloca : !stream.resource<*>{%c8} loc("op0")
    util.call @f0(%v1) : (!stream.resource<*>) -> () loc("op6")
    util.return loc("op12")
  }
  util.func public @f0(%v2: !stream.resource<*>) attributes {inlining_policy = #util.inline.never} {
    util.return loc("op5")
  }
}
