// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: a-kernel-in-place-of-a-dispatch-s-second-result-writes-its-first
// title: A kernel that writes a dispatch's second result in place is given its first
// signature: accept/verify-async-access-ranges/stream.async.dispatch-op-has-invalid-read-write-access-range-to-for-of-resource-with-size
// check: accept
// verdict: rejected
// guilty-pass: verify-async-access-ranges
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: verify-async-access-ranges: pass failed: 'stream.async.dispatch' op has invalid Read|Write access range [0 to 32 for 32] of resource %0#0 with size 8; length > 
// issue: unreported
// CHECK: error: {{.*}}'stream.async.dispatch' op has invalid Read|Write access range [0 to 32 for 32] of resource

module {
  util.func public @main() -> (!stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %c28 = arith.constant 28 : index
    %c32 = arith.constant 32 : index
    %v6, %v7 = stream.async.dispatch @ex::@a__nn() : () -> (!stream.resource<transient>{%c8}, !stream.resource<transient>{%c32}) loc("op0")
    %v8 = stream.async.dispatch @ex::@a_w_t(%v7[%c0 to %c32 for %c32]) : (!stream.resource<transient>{%c32}) -> %v7{%c32} loc("op3")
    %v9 = stream.async.copy %v8[%c12 to %c28], %v7[%c16 to %c32], %c16 : !stream.resource<transient>{%c32} -> %v7 as !stream.resource<transient>{%c32} loc("op4")
    util.return %v9 : !stream.resource<transient> loc("op8")
  }
}
