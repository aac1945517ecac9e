// RUN: iree-opt '--pass-pipeline=builtin.module(iree-stream-conversion,inline,util.func(cse,iree-stream-encode-host-tensors,canonicalize),iree-stream-refine-usage,util.func(iree-stream-schedule-execution),iree-stream-materialize-builtins,util.func(canonicalize),iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: a-splat-of-bytes-that-no-whole-pattern-fills-leaves-the-last-unwritten
// title: A splat of bytes that whole patterns do not fill leaves the last of them unwritten
// signature: hazard/materialize-builtins/unwritten
// check: hazard
// verdict: broken-contract
// guilty-pass: materialize-builtins
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: memory of op2~3: %v24, %v25 = stream.resource.alloca uninitialized : !stream.resource<transient>{%v22} => !stream.timepoint: unwritten
// issue: unreported

module {
  util.func public @main() {
    %c7_i64 = arith.constant 7 : i64
    %c8 = arith.constant 8 : index
    %c51 = arith.constant 51 : index
    %t0 = flow.tensor.splat %c7_i64 : tensor<8xi64> loc("op0")
    %v3 = flow.tensor.bitcast %t0 : tensor<8xi64> -> tensor<64xi8> loc("op0")
    %v5 = flow.tensor.slice %v3[%c8 for %c51] : tensor<64xi8> -> tensor<51xi8> loc("op2")
    %v6 = flow.dispatch @ex::@a_r_n(%v5) : (tensor<51xi8>) -> tensor<64xi8> loc("op2~2")
    %v7 = util.optimization_barrier %v6 : tensor<64xi8> loc("op10")
    util.return loc("op12")
  }
}
