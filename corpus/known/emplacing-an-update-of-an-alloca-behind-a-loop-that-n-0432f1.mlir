// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: emplacing-an-update-of-an-alloca-behind-a-loop-that-n-0432f1
// title: Emplacing an update of an alloca behind a loop that never ends puts it before its operands
// signature: accept/emplace-allocations/operand-does-not-dominate-this-use/elsewhere
// check: accept
// verdict: rejected
// guilty-pass: emplace-allocations
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: emplace-allocations: pass failed: operand #0 does not dominate this use
// issue: unreported
// CHECK: error: {{.*}}operand #0 does not dominate this use

module {
  util.func public @main(%v0: index) {
    %c128 = arith.constant 128 : index
    %v2 = stream.async.alloca : !stream.resource<*>{%c128} loc("op0")
    cf.br ^bb1 loc("op2")
  ^bb1:
    util.call @f0(%v2) : (!stream.resource<*>) -> () loc("op19")
    cf.br ^bb1 loc("op21")
  }
  util.func public @f0(%v3: !stream.resource<*>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c72 = arith.constant 72 : index
    %c88 = arith.constant 88 : index
    %c128 = arith.constant 128 : index
    %v11 = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@a_rr_nn() : () -> !stream.resource<transient>{%c16} loc("op6")
    %v12 = scf.for %v13 = %c0 to %c2 step %c1 iter_args(%v14 = %v3) -> (!stream.resource<*>) {
      %v15 = stream.async.update on(#hal.device.affinity<@dev_b>) %v11, %v14[%c72 to %c88] : !stream.resource<transient>{%c16} -> %v14 as !stream.resource<*>{%c128} loc("op11")
      scf.yield %v15 : !stream.resource<*> loc("op13")
    } loc("op9")
    util.return loc("op18")
  }
}
