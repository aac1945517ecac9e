// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: whilemoveifdown-moves-a-use-away-from-what-it-takes
// title: Moving the if of a while into its body leaves what the if yields behind
// signature: accept/canonicalize/operand-does-not-dominate-this-use/elsewhere
// check: accept
// verdict: rejected
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: canonicalize in verify-input: pass failed: operand #0 does not dominate this use
// issue: unreported
// CHECK: error: {{.*}}operand #0 does not dominate this use

module {
  util.func public @main(%v0: index, %v1: i1) {
    %c1 = arith.constant 1 : index
    %v3 = scf.while : () -> (index) {
      %v4 = "arith.subi"(%v0, %c1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> (index) loc("line6")
      %v5 = scf.if %v1 -> (index) {
        scf.yield %v4 : index loc("line8")
      } else {
        scf.yield %v0 : index loc("line10")
      } loc("line7")
      scf.condition(%v1) %v5 : index loc("line12")
    } do {
    ^bb0(%v6: index):
      %v7 = util.optimization_barrier %v6 : index loc("line15")
      scf.yield loc("line16")
    } loc("line5")
    util.return loc("line18")
  }
}
