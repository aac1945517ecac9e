// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: conversion-refuses-a-while-that-hands-on-what-it-lacks
// title: Conversion refuses a while that hands on tensors it does not carry
// signature: accept/conversion/scf.while-hands-on-region-branch-point-has-operands-but-region-successor-needs-inputs
// check: accept
// verdict: rejected
// guilty-pass: conversion
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: conversion: pass failed: 'scf.while' op along control flow edge from Operation scf.condition to Region #1: region branch point has 2 operands, but region successor needs 1 inputs
// issue: unreported
// CHECK: error: {{.*}}'scf.while' op along control flow edge from Operation scf.condition to Region #1: region branch point has

module {
  util.global private @dev_d : !hal.device
  util.func public @main(%i: i1, %x: tensor<16xi8>) -> tensor<16xi8> {
    %false = arith.constant false
    %r = scf.while (%c = %i) : (i1) -> tensor<16xi8> {
      %t = flow.tensor.transfer %x : tensor<16xi8> to #hal.device.affinity<@dev_d> loc("op5")
      scf.condition(%c) %t : tensor<16xi8> loc("op6")
    } do {
    ^bb0(%v: tensor<16xi8>):
      scf.yield %false : i1 loc("op16")
    } loc("op4")
    util.return %r : tensor<16xi8> loc("op21")
  }
}
