// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: elidetimepoints-has-a-loop-s-region-wait-for-itself
// title: ElideTimepoints has a region in a loop wait for itself
// signature: accept/elide-timepoints/operand-does-not-dominate-this-use/in-its-block
// check: accept
// verdict: rejected
// guilty-pass: elide-timepoints
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: elide-timepoints: pass failed: operand #4 does not dominate this use
// issue: unreported
// CHECK: error: {{.*}}operand #4 does not dominate this use

module {
  util.global private mutable @state : tensor<32xi8>
  util.func public @main(%x: tensor<12xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    scf.for %i = %c0 to %c16 step %c1 {
      %old = util.global.load @state : tensor<32xi8> loc("op1")
      %new = flow.tensor.update %x, %old[%c0] : tensor<12xi8> -> %old as tensor<32xi8> loc("op2")
      util.global.store %new, @state : tensor<32xi8> loc("op3")
    } loc("op0")
    util.return loc("op4")
  }
}
