// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: canonicalization-makes-a-splat-of-a-float-of-a-consta-b30218
// title: Canonicalization makes a splat of a float of a constant of one float
// signature: accept/canonicalize/stream.async.splat-op-operand-must-be-bit-signless-integer-or-bit-signless-integer-or-bit
// check: accept
// verdict: rejected
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: verify-input: pass failed: 'stream.async.splat' op operand #0 must be 8-bit signless integer or 16-bit signless integer or 32-bit signless integer or 64-bit sig
// issue: unreported
// CHECK: error: {{.*}}'stream.async.splat' op operand #0 must be 8-bit signless integer or 16-bit signless integer or 32-bit signless integer or 64-bit signless integer, but got 'f32'

module {
  util.func public @f() -> (!stream.resource<transient>) {
    %c4 = arith.constant 4 : index
    %v1 = stream.async.constant : !stream.resource<transient>{%c4} = dense<1.000000e+00> : tensor<f32> loc("line4")
    util.return %v1 : !stream.resource<transient> loc("line5")
  }
}
