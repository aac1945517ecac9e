// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize))' --mlir-print-debuginfo %s
// id: a-transfer-of-a-dispatch-s-second-result-becomes-its-first
// title: A transfer of a dispatch's second result becomes its first
// signature: value/canonicalize/changed/another-value
// check: value
// verdict: wrong-value
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 16: binding 1 of @ex::b_i32_nn(16 bytes to write, 16 bytes to write)
// actual: byte 0 of result 0 of @main: bytes 0 to 16: binding 0 of @ex::b_i32_nn(16 bytes to write, 16 bytes to write)
// issue: unreported

module {
  util.func public @main() -> (!stream.resource<transient>) {
    %c16 = arith.constant 16 : index
    %v1, %v2 = stream.async.dispatch @ex::@b_i32_nn() : () -> (!stream.resource<transient>{%c16}, !stream.resource<transient>{%c16}) loc("op0")
    %v3 = stream.async.transfer %v2 : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_c>) -> to(#hal.device.affinity<@dev_c>) !stream.resource<transient>{%c16} loc("op15")
    util.return %v3 : !stream.resource<transient> loc("op16")
  }
}
