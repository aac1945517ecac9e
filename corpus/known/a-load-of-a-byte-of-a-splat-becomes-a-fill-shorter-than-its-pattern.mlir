// RUN: iree-compile --iree-opt-const-eval=false --iree-input-demote-f64-to-f32=false %s -o %t.vmfb
// RUN: not iree-run-module --device=local-sync --module=%t.vmfb --module_mode=mmap --function=main --output_max_element_count=1048576
// RUN: not iree-run-module --device=local-sync --module=%t.vmfb --module_mode=mmap --function=main --output_max_element_count=1048576 --device_replay_output=%t.ireereplay
// RUN: iree-dump-replay --format=jsonl %t.ireereplay
// REQUIRES: iree-3.12 || iree-3.13
// id: a-load-of-a-byte-of-a-splat-becomes-a-fill-shorter-than-its-pattern
// title: A load of one byte of a splat becomes a fill of one byte by a pattern of four, which the runtime refuses
// signature: run/run/error/invalid-argument
// check: run
// verdict: broken-contract
// guilty-pass: run
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program compiles, runs and ends
// actual: run on local-sync: run failed: Error invoking function: c/runtime/src/iree/hal/command_buffer_validation.c:423: INVALID_ARGUMENT; binding offset and/or length d
// issue: unreported

module attributes {stream.affinity.default = #hal.device.affinity<@dev_a>} {
  util.global private @dev_a = #hal.device.target<"local", {ordinal = 0 : index}, [#hal.executable.target<"vmvx", "vmvx-bytecode-fb", {ukernels = "none"}>]> : !hal.device
  util.func public @main() -> (i8) {
    %c1_i32 = arith.constant 1 : i32
    %c0 = arith.constant 0 : index
    %t0 = flow.tensor.splat %c1_i32 : tensor<8xi32> attributes {stream.affinity = #hal.device.affinity<@dev_a, [0]>} loc("op0")
    %v2 = flow.tensor.bitcast %t0 : tensor<8xi32> -> tensor<32xi8> loc("op0")
    %v4 = flow.tensor.load %v2[%c0] : tensor<32xi8> loc("op2")
    util.return %v4 : i8 loc("op5")
  }
}
