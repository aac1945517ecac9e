// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: conversion-takes-a-while-s-body-to-have-its-operands-types
// title: Conversion takes the body of a while to have the types of its operands
// signature: accept/conversion/failed-to-legalize-unresolved-materialization-from-to-that-remained-live-after-conversion
// check: accept
// verdict: rejected
// guilty-pass: conversion
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: conversion: pass failed: failed to legalize unresolved target materialization from ('i1') to ('!stream.resource<*>', 'index') that remained live after conversion
// issue: unreported
// CHECK: error: {{.*}}failed to legalize unresolved {{.*}}materialization from ('i1') to ('!stream.resource<*>', 'index')

module {
  util.func public @main(%i: i1, %x: tensor<16xi8>) -> tensor<16xi8> {
    %false = arith.constant false
    %r = scf.while (%again = %i) : (i1) -> tensor<16xi8> {
      %made = flow.dispatch @ex::@work(%x) : (tensor<16xi8>) -> tensor<16xi8> loc("op1")
      scf.condition(%again) %made : tensor<16xi8> loc("op2")
    } do {
    ^bb0(%v: tensor<16xi8>):
      util.optimization_barrier %v : tensor<16xi8> loc("op3")
      scf.yield %false : i1 loc("op4")
    } loc("op0")
    util.return %r : tensor<16xi8> loc("op5")
  }
}
