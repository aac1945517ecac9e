// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: emplacetransients-takes-memory-from-a-loop-s-condition-out-of-it
// title: EmplaceTransients uses behind a loop what only the loop's condition has
// signature: accept/emplace-transients/operand-does-not-dominate-this-use/elsewhere
// check: accept
// verdict: rejected
// guilty-pass: emplace-transients
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: emplace-transients: pass failed: operand #1 does not dominate this use
// issue: unreported
// CHECK: error: {{.*}}operand #1 does not dominate this use

module {
  util.func public @main(%v0: i1, %v1: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c16 = arith.constant 16 : index
    %v4 = stream.async.alloca : !stream.resource<transient>{%c16} loc("op0")
    %v5 = scf.while : () -> (!stream.resource<transient>) {
      scf.condition(%v0) %v4 : !stream.resource<transient> loc("op4")
    } do {
    ^bb0(%v6: !stream.resource<transient>):
      scf.yield loc("op8")
    } loc("op1")
    %v7, %v8 = stream.timepoint.barrier %v5 : !stream.resource<transient>{%c16} => !stream.timepoint loc("op10")
    %v9, %v10 = stream.resource.transients await(%v8) => %v7 : !stream.resource<transient>{%c16} from %v1 : !stream.resource<transient>{%c16} => !stream.timepoint loc("op12")
    %v11 = stream.timepoint.await %v10 => %v9 : !stream.resource<transient>{%c16} loc("op13")
    util.return %v11 : !stream.resource<transient> loc("op28")
  }
}
