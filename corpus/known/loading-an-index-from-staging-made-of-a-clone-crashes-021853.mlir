// RUN: not iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize))' %s 2>&1 | filecheck %s
// REQUIRES: iree-3.12 || iree-3.13
// id: loading-an-index-from-staging-made-of-a-clone-crashes-021853
// title: Loading an index from staging made of a clone crashes the canonicalizer alone
// signature: accept/canonicalize/crash/SIGSEGV/FoldAsyncCloneIntoLoad.matchAndRewrite
// check: accept
// asked-by: idempotence
// verdict: crash
// guilty-pass: canonicalize
// affects: 3.11.0 not, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: canonicalize: the compiler crashed (SIGSEGV)
// issue: unreported
// CHECK: Stack dump

module {
  util.func public @main(%v0: !stream.resource<transient>) -> (index) {
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %v3 = stream.async.clone %v0 : !stream.resource<transient>{%c64} -> !stream.resource<transient>{%c64} loc("op2")
    %v4 = stream.async.transfer %v3 : !stream.resource<transient>{%c64} -> !stream.resource<staging>{%c64} loc("op3")
    %v5 = stream.async.load %v4[%c16] : !stream.resource<staging>{%c64} -> index loc("op4")
    util.return %v5 : index loc("op18")
  }
}
