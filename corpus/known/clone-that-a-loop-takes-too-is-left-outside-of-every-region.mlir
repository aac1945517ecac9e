// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: clone-that-a-loop-takes-too-is-left-outside-of-every-region
// title: A clone that is used before, in and behind a loop is left outside every execution region
// signature: accept/verify-lowering-to-async/stream.async.clone-op-streamable-op-expected-to-be-in-an-execution-region
// check: accept
// verdict: rejected
// guilty-pass: verify-lowering-to-async
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: materialize-builtins: pass failed: 'stream.async.clone' op : streamable op expected to be in an execution region
// issue: unreported
// CHECK: error: {{.*}}'stream.async.clone' op : streamable op expected to be in an execution region

module {
  util.func public @main(%v0: !stream.resource<transient>, %v1: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %v14 = stream.async.transfer %v0 : !stream.resource<transient>{%c64} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c64} loc("op2")
    %v15 = stream.async.dispatch @ex::@one(%v14[%c0 to %c64 for %c64]) : (!stream.resource<transient>{%c64}) -> !stream.resource<transient>{%c64} loc("op16")
    %v16 = scf.for %v17 = %c0 to %c16 step %c1 iter_args(%v18 = %v1) -> (!stream.resource<transient>) {
      %v19 = stream.async.transfer %v14 : !stream.resource<transient>{%c64} -> to(#hal.device.affinity<@dev_c>) !stream.resource<transient>{%c64} loc("op19")
      %v20 = stream.async.transfer %v19 : !stream.resource<transient>{%c64} -> !stream.resource<transient>{%c64} loc("op22")
      %v21 = stream.async.alloca : !stream.resource<transient>{%c64} loc("op23")
      %v22 = stream.async.dispatch @ex::@two(%v21[%c0 to %c64 for %c64], %v20[%c0 to %c64 for %c64]) : (!stream.resource<transient>{%c64}, !stream.resource<transient>{%c64}) -> !stream.resource<transient>{%c64} loc("op25")
      scf.yield %v22 : !stream.resource<transient> loc("op26")
    } loc("op17")
    %v23 = stream.async.dispatch @ex::@three(%v15[%c0 to %c64 for %c64], %v16[%c0 to %c64 for %c64], %v14[%c0 to %c64 for %c64]) : (!stream.resource<transient>{%c64}, !stream.resource<transient>{%c64}, !stream.resource<transient>{%c64}) -> !stream.resource<transient>{%c64} loc("op28")
    util.return %v23 : !stream.resource<transient> loc("op31")
  }
}
