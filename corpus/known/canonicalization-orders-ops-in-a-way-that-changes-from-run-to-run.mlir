// RUN: bash -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do iree-opt --canonicalize %s | cksum; done' | sort -u | wc -l | filecheck %s
// id: canonicalization-orders-ops-in-a-way-that-changes-from-run-to-run
// title: Canonicalization orders ops in a way that changes from run to run
// signature: determinism/canonicalize/differs
// check: determinism
// verdict: broken-contract
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: one output
// actual: two outputs, in which two allocas stand in another order, where a loop carries a value that it hands on as it is
// issue: unreported
// CHECK-NOT: {{^ *1$}}

module {
  util.func public @main(%v0: i1) -> (!stream.resource<transient>, !stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %v5 = stream.async.alloca : !stream.resource<transient>{%c16} loc("op0")
    %v6 = scf.if %v0 -> (!stream.resource<transient>) {
      scf.yield %v5 : !stream.resource<transient> loc("op2")
    } else {
      %v7 = scf.for %v8 = %c0 to %c2 step %c1 iter_args(%v9 = %v5) -> (!stream.resource<transient>) {
        scf.yield %v9 : !stream.resource<transient> loc("op5")
      } loc("op3")
      scf.yield %v7 : !stream.resource<transient> loc("op6")
    } loc("op1")
    %v10 = stream.async.alloca : !stream.resource<transient>{%c16} loc("op8")
    util.return %v6, %v10 : !stream.resource<transient>, !stream.resource<transient> loc("op11")
  }
}
