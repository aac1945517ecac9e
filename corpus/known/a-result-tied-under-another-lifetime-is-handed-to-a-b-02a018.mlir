// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: a-result-tied-under-another-lifetime-is-handed-to-a-b-02a018
// title: A result tied under another lifetime is handed to a block as the operand
// signature: accept/schedule-allocation/type-mismatch-for-bb-argument-of-successor
// check: accept
// verdict: rejected
// guilty-pass: schedule-allocation
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: schedule-allocation: pass failed: type mismatch for bb argument #0 of successor #0
// issue: unreported
// CHECK: error: {{.*}}type mismatch for bb argument #0 of successor #0

module {
  util.func public @main(%v0: i1, %v1: !stream.resource<transient>, %v2: i1) -> (!hal.buffer_view) {
    %c12 = arith.constant 12 : index
    %c32 = arith.constant 32 : index
    %c44 = arith.constant 44 : index
    %c64 = arith.constant 64 : index
    cf.br ^bb1(%v1 : !stream.resource<transient>) loc("op14")
  ^bb1(%v7: !stream.resource<transient>):
    cf.cond_br %v2, ^bb2, ^bb3 loc("op16")
  ^bb2:
    %v8 = scf.while : () -> (!stream.resource<external>) {
      %v9 = stream.async.alloca : !stream.resource<external>{%c64} loc("op19")
      scf.condition(%v0) %v9 : !stream.resource<external> loc("op20")
    } do {
    ^bb0(%v10: !stream.resource<external>):
      scf.yield loc("op23")
    } loc("op18")
    %v11 = stream.async.dispatch @ex::@a_w_t(%v8[%c32 to %c44 for %c12]) : (!stream.resource<external>{%c64}) -> %v8 as !stream.resource<transient>{%c64} loc("op24")
    cf.br ^bb1(%v11 : !stream.resource<transient>) loc("op26")
  ^bb3:
    %v12 = stream.async.clone %v7 : !stream.resource<transient>{%c64} -> !stream.resource<external>{%c64} loc("op28")
    %v13 = stream.tensor.export %v12 : tensor<16xi32> in !stream.resource<external>{%c64} -> !hal.buffer_view loc("op29")
    util.return %v13 : !hal.buffer_view loc("op32")
  }
}
