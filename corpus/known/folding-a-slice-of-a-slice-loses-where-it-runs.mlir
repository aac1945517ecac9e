// RUN: iree-opt --canonicalize %s | filecheck %s
// REQUIRES: iree-3.12 || iree-3.13
// id: folding-a-slice-of-a-slice-loses-where-it-runs
// title: Folding a slice of a slice of a tensor loses where it runs
// signature: execution/canonicalize/lost/stream.async.slice
// check: execution
// verdict: broken-contract
// guilty-pass: canonicalize
// affects: 3.11.0 not, 3.12.0 shows, 3.13.0 shows
// expected: the slice is made on @dev_b, as both slices say
// actual: the one slice that both become has no affinity, nor has the region that it ends up in
// issue: unreported
// CHECK: flow.tensor.slice {{.*}} : tensor<16xi8> -> tensor<4xi8>{{$}}

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @main(%view: !hal.buffer_view) -> !hal.buffer_view {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %whole = hal.tensor.import %view : !hal.buffer_view -> tensor<16xi8> loc("op0")
    %half = flow.tensor.slice %whole[%c8 for %c8] : tensor<16xi8> -> tensor<8xi8> attributes {stream.affinity = #hal.device.affinity<@dev_b>} loc("op1")
    %quarter = flow.tensor.slice %half[%c0 for %c4] : tensor<8xi8> -> tensor<4xi8> attributes {stream.affinity = #hal.device.affinity<@dev_b>} loc("op2")
    %shown = hal.tensor.export on(#hal.device.affinity<@dev_b>) %quarter : tensor<4xi8> -> !hal.buffer_view loc("op3")
    util.return %shown : !hal.buffer_view loc("op4")
  }
}
