// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// REQUIRES: iree-3.12 || iree-3.13
// id: canonicalization-leaves-an-addition-in-a-region-of-commands
// title: Canonicalization folds a part of a part of memory into a region of commands and leaves the addition of their offsets there
// signature: accept/canonicalize/arith.addi-op-explicit-execution-regions-must-only-contain-explicit-ops
// check: accept
// verdict: rejected
// guilty-pass: canonicalize
// affects: 3.11.0 not, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: canonicalize in pack-constants: pass failed: 'arith.addi' op explicit execution regions must only contain explicit ops
// issue: unreported
// CHECK: error: {{.*}}'arith.addi' op explicit execution regions must only contain explicit ops

module {
  util.func public @main(%v0: index, %v1: !stream.resource<transient>, %v2: !stream.resource<transient>) -> (!stream.resource<transient>, !stream.resource<transient>) {
    %c16 = arith.constant 16 : index
    %v4 = stream.async.alloca on(#hal.device.affinity<@dev_a>) : !stream.resource<transient>{%v0} loc("op2")
    %v5 = stream.async.transfer %v4 : !stream.resource<transient>{%v0} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%v0} loc("op3")
    %v6, %v7 = stream.timepoint.barrier %v5 : !stream.resource<transient>{%v0} => !stream.timepoint loc("op10")
    %v8, %v9 = stream.resource.transients on(#hal.device.affinity<@dev_b>) await(%v7) => %v6 : !stream.resource<transient>{%v0} from %v2 : !stream.resource<transient>{%c16} => !stream.timepoint loc("op12")
    %v10 = stream.async.transfer %v1 : !stream.resource<transient>{%v0} -> !stream.resource<transient>{%v0} loc("op14")
    util.return %v8, %v10 : !stream.resource<transient>, !stream.resource<transient> loc("op30")
  }
}
