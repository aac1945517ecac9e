// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: ipo-takes-away-an-argument-that-a-region-yields
// title: IPO takes away an argument that is still used, as one that a region yields
// signature: accept/ipo/crash/SIGSEGV
// check: accept
// verdict: crash
// guilty-pass: ipo
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: SIGSEGV when the module is verified after iree-util-ipo: an argument whose users are all like a return, scf.yield among them, is erased once no caller takes it from the results; so is one that repeats another argument in some call, once that other is the same constant in all calls
// issue: unreported
// CHECK: include the crash backtrace

module {
  util.func private @f1(%given: tensor<16xi8>, %choice: i1) -> (tensor<16xi8>, tensor<16xi8>) attributes {inlining_policy = #util.inline.never} {
    %chosen = scf.if %choice -> (tensor<16xi8>) {
      %made = flow.dispatch @ex::@work(%choice) : (i1) -> tensor<16xi8> loc("op0")
      scf.yield %made : tensor<16xi8> loc("op1")
    } else {
      scf.yield %given : tensor<16xi8> loc("op2")
    } loc("op3")
    util.return %chosen, %given : tensor<16xi8>, tensor<16xi8> loc("op4")
  }
  util.func public @main(%x: tensor<16xi8>, %choice: i1) -> (tensor<16xi8>, tensor<16xi8>) {
    %r:2 = util.call @f1(%x, %choice) : (tensor<16xi8>, i1) -> (tensor<16xi8>, tensor<16xi8>) loc("op5")
    util.return %r#0, %r#1 : tensor<16xi8>, tensor<16xi8> loc("op6")
  }
}
