// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize))' %s | filecheck %s
// id: canonicalization-returns-an-argument-promised-elsewhere
// title: Canonicalization returns an argument as a result that is promised on another device
// signature: access/canonicalize/handed-back/unmoved
// check: access
// verdict: broken-contract
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: a value that comes in on one device and is promised on another is moved there
// actual: after canonicalize: @main returns its argument 0, which lives on @dev_b, as result 0, which is promised on @dev_a
// issue: unreported
// CHECK: util.func public @main(%[[GIVEN:[a-z0-9]+]]: !hal.buffer_view)
// CHECK-NEXT: util.return %[[GIVEN]]

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @main(%view: !hal.buffer_view) -> !hal.buffer_view {
    %x = hal.tensor.import on(#hal.device.affinity<@dev_b>) %view : !hal.buffer_view -> tensor<16xi8> loc("op0")
    %y = hal.tensor.export on(#hal.device.affinity<@dev_a>) %x : tensor<16xi8> -> !hal.buffer_view loc("op1")
    util.return %y : !hal.buffer_view loc("op2")
  }
}
