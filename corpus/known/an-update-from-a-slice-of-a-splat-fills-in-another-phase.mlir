// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize))' %s | filecheck %s
// id: an-update-from-a-slice-of-a-splat-fills-in-another-phase
// title: An update from a slice of a splat that does not begin with a pattern becomes a fill of another phase
// signature: value/canonicalize/changed/fill/in-place
// check: value
// verdict: wrong-value
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: bytes 0 to 12 of the result are 00 00 00 00 07 00 00 00 00 00 00 00: the slice begins in the middle of a pattern
// actual: they are 07 00 00 00 00 00 00 00 07 00 00 00
// issue: unreported
// CHECK: stream.async.fill %c7_i64, %arg0[%c0 to %c12 for %c12] : i64

util.func public @f(%x: !stream.resource<*>) -> !stream.resource<*> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %c16 = arith.constant 16 : index
  %p = arith.constant 7 : i64
  %s = stream.async.splat %p : i64 -> !stream.resource<*>{%c16}
  %l = stream.async.slice %s[%c4 to %c16] : !stream.resource<*>{%c16} -> !stream.resource<*>{%c12}
  %u = stream.async.update %l, %x[%c0 to %c12] : !stream.resource<*>{%c12} -> %x as !stream.resource<*>{%c16}
  util.return %u : !stream.resource<*>
}
