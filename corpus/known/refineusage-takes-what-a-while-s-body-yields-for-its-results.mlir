// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// REQUIRES: iree-3.12 || iree-3.13
// id: refineusage-takes-what-a-while-s-body-yields-for-its-results
// title: RefineUsage takes what a while's body yields for the loop's results, and crashes where there are more
// signature: accept/refine-usage/crash/SIGSEGV/ValueResourceUsage
// check: accept
// verdict: crash
// guilty-pass: refine-usage
// affects: 3.11.0 not, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: SIGSEGV in ResourceType::getLifetime under ValueResourceUsage::updateFromUse: the case of scf.yield asks for whileOp->getResult(operandIdx)
// issue: unreported
// CHECK: Stack dump

module {
  util.func public @main(%v0: i1, %v1: !stream.resource<transient>) -> (!hal.buffer_view) {
    %c0_i1 = arith.constant 0 : i1
    %c8 = arith.constant 8 : index
    %v4 = scf.while (%v5 = %v0, %v6 = %v1) : (i1, !stream.resource<transient>) -> (!stream.resource<transient>) {
      scf.condition(%v5) %v6 : !stream.resource<transient> loc("op4")
    } do {
    ^bb0(%v7: !stream.resource<transient>):
      %v8 = stream.async.alloca : !stream.resource<transient>{%c8} loc("op6")
      scf.yield %c0_i1, %v8 : i1, !stream.resource<transient> loc("op7")
    } loc("op2")
    %v9 = stream.async.transfer %v4 : !stream.resource<transient>{%c8} -> !stream.resource<external>{%c8} loc("op36")
    %v10 = stream.tensor.export %v9 : tensor<2xi32> in !stream.resource<external>{%c8} -> !hal.buffer_view loc("op37")
    util.return %v10 : !hal.buffer_view loc("op40")
  }
}
