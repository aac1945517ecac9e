// RUN: not iree-opt '--pass-pipeline=builtin.module(inline,util.func(iree-stream-schedule-execution),iree-stream-propagate-timepoints)' %s 2>&1 | filecheck %s
// id: propagatetimepoints-leaves-a-call-in-a-region-without-453a5e
// title: PropagateTimepoints leaves a call in a region without results as it was
// signature: accept/propagate-timepoints/util.call-types-differ
// check: accept
// asked-by: roundtrip
// verdict: rejected
// guilty-pass: propagate-timepoints
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: propagate-timepoints: pass failed: 'util.call' op function type mismatch; expected '() -> !stream.resource<transient>' but callee is '() -> (!stream.resource<tr
// issue: unreported
// CHECK: error: {{.*}}'util.call' op function type mismatch; expected '() -> !stream.resource<transient>' but callee is '() -> (!stream.resource<transient>, !stream.timepoint)'

module {
  util.func public @main(%v0: i1) {
    scf.if %v0 {
      util.call @f0() : () -> () loc("op25")
      scf.yield loc("op33")
    } loc("op10")
    util.return loc("op34")
  }
  util.func private @f1() -> (!stream.resource<transient>) attributes {inlining_policy = #util.inline.never} {
    %c8 = arith.constant 8 : index
    %v2 = stream.async.alloca : !stream.resource<transient>{%c8} loc("op19")
    util.return %v2 : !stream.resource<transient> loc("op20")
  }
  util.func public @f0() {
    %v3 = util.call @f1() : () -> !stream.resource<transient> loc("op21")
    util.return loc("op24")
  }
}
