// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-emplace-allocations))' --mlir-print-debuginfo %s
// id: emplaceallocations-puts-one-result-of-a-kernel-over-another
// title: EmplaceAllocations puts one result of a kernel over another of the same kernel
// signature: value/emplace-allocations/changed/dispatch/in-place
// check: value
// verdict: wrong-value
// guilty-pass: emplace-allocations
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 16 of result 0 of @main: bytes 16 to 64: from byte 16 of binding 0 of @ex::b_rf64_nn(64 bytes to write, 16 bytes to write)
// actual: byte 16 of result 0 of @main: bytes 16 to 64: nobody's
// issue: unreported

module {
  util.func public @main() -> (!stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %v3, %v4 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@b_rf64_nn() : () -> (!stream.resource<transient>{%c64}, !stream.resource<transient>{%c16}) loc("op1")
    %v5 = stream.async.update on(#hal.device.affinity<@dev_a>) %v4, %v3[%c0 to %c16] : !stream.resource<transient>{%c16} -> %v3 as !stream.resource<transient>{%c64} loc("op2")
    util.return %v5 : !stream.resource<transient> loc("op5")
  }
}
