// RUN: iree-opt --iree-stream-annotate-affinities %s | filecheck %s
// UNSUPPORTED: iree-3.11
// id: what-a-loop-s-body-yields-is-taken-for-its-results-by-position
// title: What the body of a while yields is taken for the loop's results by position, and widens their affinities
// signature: affinity/annotate-affinities/results-usage/splat/wider/of-splat
// check: affinity
// verdict: disagree
// guilty-pass: annotate-affinities
// affects: 3.11.0 shows, 3.12.0 not, 3.13.0 not
// fixed-in: 3.12.0
// rules: 3.12.0
// expected: the loop's first result is only ever the value on @dev_a
// actual: its affinity is @dev_a and @dev_b
// issue: https://github.com/iree-org/iree/issues/24787
// CHECK: stream.async.dispatch @ex::@a_r_n({{.*}}) {stream.affinities = [#hal.device.affinity<@dev_a>], 

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @main(%go: i1) -> (!stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c7_i32 = arith.constant 7 : i32
    %c16 = arith.constant 16 : index
    %a = stream.async.splat on(#hal.device.affinity<@dev_a>) %c7_i32 : i32 -> !stream.resource<transient>{%c16} loc("op0")
    %b = stream.async.splat on(#hal.device.affinity<@dev_b>) %c7_i32 : i32 -> !stream.resource<transient>{%c16} loc("op1")
    %r:2 = scf.while (%q = %b, %p = %a) : (!stream.resource<transient>, !stream.resource<transient>) -> (!stream.resource<transient>, !stream.resource<transient>) {
      scf.condition(%go) %p, %q : !stream.resource<transient>, !stream.resource<transient> loc("op3")
    } do {
    ^bb0(%v: !stream.resource<transient>, %w: !stream.resource<transient>):
      scf.yield %w, %v : !stream.resource<transient>, !stream.resource<transient> loc("op4")
    } loc("op2")
    %z = stream.async.dispatch @ex::@a_r_n(%r#0[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> !stream.resource<external>{%c16} loc("op5")
    util.return %z : !stream.resource<external> loc("op6")
  }
}
