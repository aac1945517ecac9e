// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: grouping-awaits-puts-an-await-before-its-timepoint-in-a-loop
// title: Grouping awaits puts an await before its timepoint in a loop
// signature: accept/canonicalize/operand-does-not-dominate-this-use/in-its-block
// check: accept
// verdict: rejected
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: verify-input: pass failed: operand #1 does not dominate this use
// issue: unreported
// CHECK: error: {{.*}}operand #1 does not dominate this use

module {
  util.func public @scfIfInsideScfFor(%v0: !stream.resource<transient>, %v1: !stream.timepoint) -> (!stream.resource<transient>) {
    %c4 = arith.constant 4 : index
    %v3 = stream.timepoint.await %v1 => %v0 : !stream.resource<transient>{%c4} loc("line5")
    %v4 = stream.timepoint.await %v1 => %v3 : !stream.resource<transient>{%c4} loc("line6")
    util.return %v4 : !stream.resource<transient> loc("line7")
  }
}
