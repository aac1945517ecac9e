// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution))' %s | filecheck %s
// id: a-splat-that-is-used-before-in-and-behind-a-nested-re-3d8f09
// title: An op that control flow takes too remains outside of every region
// signature: coverage/schedule-execution/outside-of-every-region/taken-by-control-flow
// check: coverage
// verdict: broken-contract
// guilty-pass: schedule-execution
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: each region that uses the splat has a copy of it
// actual: the region behind the scf.if captures a copy among the ops of the host, which MaterializeBuiltins then refuses: a consumer that the nested region's hazards forbid is left out when the op is cloned
// issue: unreported
// CHECK: scf.if
// CHECK: } else {
// CHECK: }
// CHECK-NEXT: stream.async.splat
// CHECK-NEXT: stream.async.execute

module {
  util.func public @main(%v0: i1, %v1: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1_i32 = arith.constant 1 : i32
    %s = stream.async.splat %c1_i32 : i32 -> !stream.resource<transient>{%c16} loc("op0")
    %a = stream.async.dispatch @ex::@d(%s[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> !stream.resource<transient>{%c16} loc("op1")
    %r = scf.if %v0 -> (!stream.resource<transient>) {
      %b = stream.async.dispatch @ex::@d(%s[%c0 to %c16 for %c16], %a[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}, !stream.resource<transient>{%c16}) -> !stream.resource<transient>{%c16} loc("op2")
      scf.yield %b : !stream.resource<transient> loc("op3")
    } else {
      scf.yield %v1 : !stream.resource<transient> loc("op4")
    } loc("op5")
    %d = stream.async.dispatch @ex::@d(%s[%c0 to %c16 for %c16], %r[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}, !stream.resource<transient>{%c16}) -> !stream.resource<transient>{%c16} loc("op6")
    util.return %d : !stream.resource<transient> loc("op7")
  }
}
