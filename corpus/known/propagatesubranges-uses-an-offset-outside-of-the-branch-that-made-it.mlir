// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: propagatesubranges-uses-an-offset-outside-of-the-branch-that-made-it
// title: PropagateSubranges uses the size of what a branch of an if made outside of the branch
// signature: accept/propagate-subranges/operand-does-not-dominate-this-use/elsewhere
// check: accept
// verdict: rejected
// guilty-pass: propagate-subranges
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: propagate-subranges: pass failed: operand #1 does not dominate this use
// issue: unreported
// CHECK: error: {{.*}}operand #1 does not dominate this use

module {
  util.func public @main(%v0: i1, %v1: !stream.resource<transient>, %v2: i1, %v3: !stream.resource<transient>) -> (!stream.resource<transient>, !stream.resource<transient>) {
    %c1 = arith.constant 1 : index
    %v5 = scf.if %v0 -> (!stream.resource<transient>) {
      scf.yield %v1 : !stream.resource<transient> loc("op5")
    } else {
      %v6 = stream.async.alloca : !stream.resource<transient>{%c1} loc("op6")
      scf.yield %v6 : !stream.resource<transient> loc("op9")
    } loc("op2")
    cf.br ^bb1(%v1 : !stream.resource<transient>) loc("op10")
  ^bb1(%v7: !stream.resource<transient>):
    cf.cond_br %v2, ^bb2, ^bb3 loc("op12")
  ^bb2:
    cf.br ^bb1(%v3 : !stream.resource<transient>) loc("op16")
  ^bb3:
    util.return %v5, %v7 : !stream.resource<transient>, !stream.resource<transient> loc("op23")
  }
}
