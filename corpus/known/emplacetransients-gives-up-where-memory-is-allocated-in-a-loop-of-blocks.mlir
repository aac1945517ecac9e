// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: emplacetransients-gives-up-where-memory-is-allocated-in-a-loop-of-blocks
// title: EmplaceTransients gives up where memory is allocated in a loop that is made of blocks
// signature: accept/emplace-transients/alloca-has-no-parent-in-common-dominator-block
// check: accept
// verdict: rejected
// guilty-pass: emplace-transients
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: emplace-transients: pass failed: alloca has no parent in common dominator block
// issue: unreported
// CHECK: error: {{.*}}alloca has no parent in common dominator block

module {
  util.func public @main(%v0: !stream.resource<transient>, %v1: i1, %v2: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c16 = arith.constant 16 : index
    cf.br ^bb1(%v0 : !stream.resource<transient>) loc("op1")
  ^bb1(%v5: !stream.resource<transient>):
    cf.cond_br %v1, ^bb2, ^bb3 loc("op3")
  ^bb2:
    %v6 = stream.async.alloca : !stream.resource<transient>{%c16} loc("op4")
    cf.br ^bb1(%v6 : !stream.resource<transient>) loc("op6")
  ^bb3:
    %v7 = stream.async.transfer %v5 : !stream.resource<transient>{%c16} -> !stream.resource<transient>{%c16} loc("op17")
    %v8, %v9 = stream.timepoint.barrier %v7 : !stream.resource<transient>{%c16} => !stream.timepoint loc("op18")
    %v10, %v11 = stream.resource.transients await(%v9) => %v8 : !stream.resource<transient>{%c16} from %v2 : !stream.resource<transient>{%c16} => !stream.timepoint loc("op20")
    util.return %v10 : !stream.resource<transient> loc("op32")
  }
}
