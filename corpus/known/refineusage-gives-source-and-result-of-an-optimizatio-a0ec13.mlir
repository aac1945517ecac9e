// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-source-and-result-of-an-optimizatio-a0ec13
// title: RefineUsage gives source and result of an optimization barrier two lifetimes
// signature: accept/refine-usage/util.optimization_barrier-types-differ
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'util.optimization_barrier' op failed to verify that all of {operands, results} have same type
// issue: unreported
// CHECK: error: {{.*}}'util.optimization_barrier' op failed to verify that all of {operands, results} have same type

module {
  util.func public @main(%v0: !stream.resource<*>) {
    %c8 = arith.constant 8 : index
    %v2 = stream.async.alloca : !stream.resource<*>{%c8} loc("op1")
    %v3, %v4 = util.optimization_barrier %v2, %v0 : !stream.resource<*>, !stream.resource<*> loc("op4")
    util.return loc("op10")
  }
}
