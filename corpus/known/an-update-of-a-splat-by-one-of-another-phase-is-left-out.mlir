// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize))' %s | filecheck %s
// id: an-update-of-a-splat-by-one-of-another-phase-is-left-out
// title: An update of a splat by a splat of the same pattern is left out though it begins in the middle of a pattern
// signature: value/canonicalize/changed/another-value/for-fill
// check: value
// verdict: wrong-value
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: bytes 4 to 12 of the result are 07 00 00 00 00 00 00 00: what is written begins with a pattern
// actual: they are 00 00 00 00 07 00 00 00: the update becomes a fill, and a fill of a splat with the splat's own pattern is taken for one that changes nothing, wherever it begins
// issue: unreported
// CHECK-NOT: stream.async.fill
// CHECK: util.return

util.func public @f() -> !stream.resource<*> {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 7 : i64
  %s = stream.async.splat %p : i64 -> !stream.resource<*>{%c16}
  %l = stream.async.splat %p : i64 -> !stream.resource<*>{%c8}
  %u = stream.async.update %l, %s[%c4 to %c12] : !stream.resource<*>{%c8} -> %s as !stream.resource<*>{%c16}
  util.return %u : !stream.resource<*>
}
