// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: groupawaitsbytimepoint-crashes-on-an-await-that-is-yielded-in-a-loop
// title: GroupAwaitsByTimepoint crashes on an await in a loop that both sides of an scf.if yield
// signature: accept/canonicalize/crash/SIGSEGV/GroupAwaitsByTimepoint.matchAndRewrite
// check: accept
// verdict: crash
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: SIGSEGV in GroupAwaitsByTimepoint
// issue: unreported
// CHECK: Stack dump

module {
  util.func public @other(%v0: !stream.resource<transient>, %v1: i1) -> (!stream.resource<transient>) {
    %c16 = arith.constant 16 : index
    %v3 = scf.while (%v4 = %v0) : (!stream.resource<transient>) -> (!stream.resource<transient>) {
      %v5, %v6 = stream.timepoint.barrier %v4 : !stream.resource<transient>{%c16} => !stream.timepoint loc("op23")
      %v7 = stream.timepoint.await %v6 => %v5 : !stream.resource<transient>{%c16} loc("op24")
      %v8 = scf.if %v1 -> (!stream.resource<transient>) {
        scf.yield %v7 : !stream.resource<transient> loc("op26")
      } else {
        scf.yield %v7 : !stream.resource<transient> loc("op27")
      } loc("op25")
      scf.condition(%v1) %v8 : !stream.resource<transient> loc("op28")
    } do {
    ^bb0(%v9: !stream.resource<transient>):
      scf.yield %v9 : !stream.resource<transient> loc("op30")
    } loc("op21")
    util.return %v3 : !stream.resource<transient> loc("op33")
  }
}
