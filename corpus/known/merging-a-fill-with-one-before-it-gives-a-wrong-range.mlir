// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: merging-a-fill-with-one-before-it-gives-a-wrong-range
// title: Merging a fill with one before it gives a range that contradicts itself
// signature: accept/verify-async-access-ranges/range-contradicts-itself
// check: accept
// verdict: rejected
// guilty-pass: verify-async-access-ranges
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: verify-async-access-ranges: pass failed: 'stream.async.fill' op has invalid Write access range [20 to 16 for 8] of resource %0 with size 16; start > end
// issue: unreported
// CHECK: error: {{.*}}'stream.async.fill' op has invalid Write access range [20 to 16 for 8] of resource

module {
  util.func public @main(%v0: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c7_i8 = arith.constant 7 : i8
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %v6 = stream.async.fill %c7_i8, %v0[%c12 to %c16 for %c4] : i8 -> %v0 as !stream.resource<transient>{%c16} loc("line9")
    %v7 = stream.async.fill %c7_i8, %v6[%c8 to %c12 for %c4] : i8 -> %v6 as !stream.resource<transient>{%c16} loc("line10")
    util.return %v7 : !stream.resource<transient> loc("line11")
  }
}
