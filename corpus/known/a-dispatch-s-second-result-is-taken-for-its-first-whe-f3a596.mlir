// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: a-dispatch-s-second-result-is-taken-for-its-first-whe-f3a596
// title: A dispatch's second result is taken for its first when a transfer of it is elided
// signature: accept/verify-async-access-ranges/stream.async.copy-op-has-invalid-write-access-range-to-for-of-resource-with-size-length-re
// check: accept
// verdict: rejected
// guilty-pass: verify-async-access-ranges
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: verify-async-access-ranges: pass failed: 'stream.async.copy' op has invalid Write access range [8 to 44 for 36] of resource %0#0 with size 16; length > resource
// issue: unreported
// CHECK: error: {{.*}}'stream.async.copy' op has invalid Write access range [8 to 44 for 36] of resource

module {
  util.func public @other() -> (!hal.buffer_view) {
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c20 = arith.constant 20 : index
    %c36 = arith.constant 36 : index
    %c44 = arith.constant 44 : index
    %c52 = arith.constant 52 : index
    %c56 = arith.constant 56 : index
    %c64 = arith.constant 64 : index
    %v8, %v9 = stream.async.dispatch @ex::@b__nn() : () -> (!stream.resource<transient>{%c16}, !stream.resource<transient>{%c64}) loc("op12")
    %v10 = stream.async.transfer %v9 : !stream.resource<transient>{%c64} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c64} loc("op14")
    %v11 = stream.async.copy %v9[%c20 to %c56], %v10[%c8 to %c44], %c36 : !stream.resource<transient>{%c64} -> %v10 as !stream.resource<transient>{%c64} loc("op15")
    %v12 = stream.async.dispatch @ex::@a_rrr_n(%v11[%c8 to %c52 for %c44]) : (!stream.resource<transient>{%c64}) -> !stream.resource<transient>{%c16} loc("op18")
    %v13 = stream.async.transfer %v12 : !stream.resource<transient>{%c16} -> !stream.resource<external>{%c16} loc("op19")
    %v14 = stream.tensor.export %v13 : tensor<8xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op20")
    util.return %v14 : !hal.buffer_view loc("op21")
  }
}
