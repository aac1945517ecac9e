// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: grouping-awaits-by-timepoint-puts-an-await-before-one-6d5a20
// title: Grouping awaits by timepoint puts an await before one that it takes
// signature: accept/propagate-timepoints/operand-does-not-dominate-this-use/elsewhere
// check: accept
// verdict: rejected
// guilty-pass: propagate-timepoints
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: propagate-timepoints: pass failed: operand #1 does not dominate this use
// issue: unreported
// CHECK: error: {{.*}}operand #1 does not dominate this use

module {
  util.func public @main(%v0: i1, %v1: !stream.resource<transient>) -> (!hal.buffer_view) {
    %c16 = arith.constant 16 : index
    %v4 = stream.async.alloca : !stream.resource<transient>{%c16} loc("op5")
    %v5, %v6 = stream.timepoint.barrier %v4 : !stream.resource<transient>{%c16} => !stream.timepoint loc("op8")
    %v7 = scf.if %v0 -> (!stream.resource<transient>) {
      %v8, %v9 = stream.timepoint.barrier %v1 : !stream.resource<transient>{%c16} => !stream.timepoint loc("op12")
      %v10, %v11 = stream.timepoint.barrier %v4 : !stream.resource<transient>{%c16} => !stream.timepoint loc("op13")
      %v12, %v13 = stream.timepoint.await %v9 => %v8, %v10 : !stream.resource<transient>{%c16}, !stream.resource<transient>{%c16} loc("op15")
      scf.yield %v13 : !stream.resource<transient> loc("op23")
    } else {
      scf.yield %v5 : !stream.resource<transient> loc("op24")
    } loc("op11")
    %v14 = stream.async.transfer %v7 : !stream.resource<transient>{%c16} -> !stream.resource<external>{%c16} loc("op25")
    %v15 = stream.tensor.export %v14 : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op26")
    util.return %v15 : !hal.buffer_view loc("op27")
  }
}
