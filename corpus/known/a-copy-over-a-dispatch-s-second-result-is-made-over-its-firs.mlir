// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: a-copy-over-a-dispatch-s-second-result-is-made-over-its-firs
// title: A copy over a dispatch's second result is made over its first
// signature: accept/verify-async-access-ranges/stream.async.copy-op-has-invalid-write-access-range-to-for-of-resource-with-size-start-res
// check: accept
// verdict: rejected
// guilty-pass: verify-async-access-ranges
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: verify-async-access-ranges: pass failed: 'stream.async.copy' op has invalid Write access range [60 to 84 for 24] of resource %0#0 with size 32; start > resource
// issue: unreported
// CHECK: error: {{.*}}'stream.async.copy' op has invalid Write access range [60 to 84 for 24] of resource

module {
  util.global private @dev_b : !hal.device
  util.func public @main() -> (!stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %c32 = arith.constant 32 : index
    %c60 = arith.constant 60 : index
    %c84 = arith.constant 84 : index
    %c120 = arith.constant 120 : index
    %c128 = arith.constant 128 : index
    %v23, %v24 = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@b__nn() : () -> (!stream.resource<*>{%c32}, !stream.resource<*>{%c128}) loc("op0")
    %v27 = stream.async.copy on(#hal.device.affinity<@dev_b>) %v23[%c0 to %c24], %v24[%c60 to %c84], %c24 : !stream.resource<*>{%c32} -> %v24 as !stream.resource<*>{%c128} loc("op1")
    %v41 = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@a_rrri64i8_n(%v27[%c120 to %c128 for %c8], %v24[%c0 to %c128 for %c128]) : (!stream.resource<*>{%c128}, !stream.resource<*>{%c128}) -> !stream.resource<*>{%c8} loc("op2")
    %v43 = stream.async.transfer %v41 : !stream.resource<*>{%c8} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<external>{%c8} loc("op3")
    util.return %v43 : !stream.resource<external> loc("op4")
  }
}
