// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-a-branch-s-operand-and-the-block-s-947dfc
// title: RefineUsage gives a branch's operand and the block's argument two lifetimes
// signature: accept/refine-usage/types-differ
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: type mismatch for bb argument #0 of successor #0
// issue: unreported
// CHECK: error: {{.*}}type mismatch for bb argument #0 of successor #0

module {
  util.global public @g0 : !stream.resource<variable>
  util.func public @other(%v0: i1, %v1: !stream.resource<transient>) -> (!hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    cf.cond_br %v0, ^bb1, ^bb2(%v1 : !stream.resource<transient>) loc("op22")
  ^bb1:
    %v5 = util.global.load @g0 : !stream.resource<variable> loc("op27")
    %v6 = stream.async.transfer %v5 : !stream.resource<variable>{%c16} -> !stream.resource<transient>{%c16} loc("op28")
    %v7 = stream.async.transfer %v6 : !stream.resource<transient>{%c16} -> !stream.resource<external>{%c16} loc("op29")
    %v8 = stream.async.slice %v7[%c0 to %c8] : !stream.resource<external>{%c16} -> !stream.resource<external>{%c8} loc("op30")
    %v9 = stream.async.clone %v8 : !stream.resource<external>{%c8} -> !stream.resource<transient>{%c8} loc("op31")
    cf.br ^bb2(%v9 : !stream.resource<transient>) loc("op32")
  ^bb2(%v10: !stream.resource<transient>):
    %v11 = stream.async.transfer %v10 : !stream.resource<transient>{%c8} -> !stream.resource<external>{%c8} loc("op33")
    %v12 = stream.tensor.export %v11 : tensor<2xi32> in !stream.resource<external>{%c8} -> !hal.buffer_view loc("op34")
    util.return %v12 : !hal.buffer_view loc("op37")
  }
}
