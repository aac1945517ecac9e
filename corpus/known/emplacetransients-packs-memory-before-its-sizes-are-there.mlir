// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: emplacetransients-packs-memory-before-its-sizes-are-there
// title: EmplaceTransients packs memory before the sizes that it packs are there
// signature: accept/emplace-transients/operand-does-not-dominate-this-use/in-its-block
// check: accept
// verdict: rejected
// guilty-pass: emplace-transients
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: emplace-transients: pass failed: operand #0 does not dominate this use
// issue: unreported
// CHECK: error: {{.*}}operand #0 does not dominate this use

module {
  util.func public @main(%v0: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %c20 = arith.constant 20 : index
    %c24 = arith.constant 24 : index
    %c32 = arith.constant 32 : index
    %v10 = stream.async.alloca : !stream.resource<transient>{%c32} loc("op0")
    %v11 = stream.async.alloca : !stream.resource<transient>{%c32} loc("op1")
    %v12, %v13 = stream.timepoint.barrier %v10 : !stream.resource<transient>{%c32} => !stream.timepoint loc("op3")
    %v14 = scf.for %v15 = %c0 to %c16 step %c1 iter_args(%v16 = %v11) -> (!stream.resource<transient>) {
      %v17 = stream.async.copy %v12[%c12 to %c20], %v11[%c24 to %c32], %c8 : !stream.resource<transient>{%c32} -> %v11 as !stream.resource<transient>{%c32} loc("op9")
      scf.yield %v17 : !stream.resource<transient> loc("op11")
    } loc("op8")
    %v18, %v19 = stream.timepoint.barrier %v14 : !stream.resource<transient>{%c32} => !stream.timepoint loc("op12")
    %v20, %v21 = stream.resource.transients await(%v19) => %v18 : !stream.resource<transient>{%c32} from %v0 : !stream.resource<transient>{%c16} => !stream.timepoint loc("op14")
    util.return %v20 : !stream.resource<transient> loc("op19")
  }
}
