// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: conversion-reads-past-a-while-s-operands-for-its-body
// title: Conversion reads past a while's operands for the arguments of its body
// signature: accept/conversion/crash/SIGSEGV/ScfWhileOpConversion.matchAndRewrite
// check: accept
// verdict: crash
// guilty-pass: conversion
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: SIGSEGV, or LLVM out of memory, in ScfWhileOpConversion: the body's arguments are converted by the signature made of the operands
// issue: unreported
// CHECK: Stack dump

module {
  util.func public @main(%again: i1, %x: tensor<16xi8>) -> tensor<16xi8> {
    %r = scf.while : () -> tensor<16xi8> {
      %made = flow.dispatch @ex::@work(%x) : (tensor<16xi8>) -> tensor<16xi8> loc("op1")
      scf.condition(%again) %made : tensor<16xi8> loc("op2")
    } do {
    ^bb0(%v: tensor<16xi8>):
      scf.yield loc("op3")
    } loc("op0")
    util.return %r : tensor<16xi8> loc("op4")
  }
}
