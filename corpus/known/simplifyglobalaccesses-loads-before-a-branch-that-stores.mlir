// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-util-simplify-global-accesses))' %s | filecheck %s
// id: simplifyglobalaccesses-loads-before-a-branch-that-stores
// title: SimplifyGlobalAccesses loads a global before a branch that stores to it
// signature: value/simplify-global-accesses/changed/load/new
// check: value
// verdict: wrong-value
// guilty-pass: simplify-global-accesses
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: where %again is true the result is the argument
// actual: the result is what the initializer stored: the pass looks at the stores of a block, not at those in regions of its ops
// issue: unreported
// CHECK-LABEL: util.func public @main
// CHECK: util.global.load @a
// CHECK: scf.if
// CHECK-NOT: util.global.load

module {
  util.global private @dev_a : !hal.device
  util.global private mutable @a : tensor<16xi8>
  util.initializer {
    %c12 = arith.constant 12 : i8
    %start = flow.tensor.splat %c12 : tensor<16xi8> attributes {stream.affinity = #hal.device.affinity<@dev_a>} loc("op0")
    util.global.store %start, @a : tensor<16xi8> loc("op1")
    util.return loc("op2")
  }
  util.func public @main(%again: i1, %x: !hal.buffer_view) -> !hal.buffer_view {
    %t = hal.tensor.import on(#hal.device.affinity<@dev_a>) %x : !hal.buffer_view -> tensor<16xi8> loc("op3")
    scf.if %again {
      util.global.store %t, @a : tensor<16xi8> loc("op4")
      scf.yield loc("op9")
    } loc("op5")
    %p = util.global.load @a : tensor<16xi8> loc("op6")
    %v = hal.tensor.export on(#hal.device.affinity<@dev_a>) %p : tensor<16xi8> -> !hal.buffer_view loc("op7")
    util.return %v : !hal.buffer_view loc("op8")
  }
}
