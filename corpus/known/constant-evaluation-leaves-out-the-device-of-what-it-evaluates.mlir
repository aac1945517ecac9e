// RUN: not iree-compile --iree-input-demote-f64-to-f32=false %s -o %t.vmfb
// id: constant-evaluation-leaves-out-the-device-of-what-it-evaluates
// title: Constant evaluation makes a function of a constant and leaves out the global of the device that it is for
// signature: run/iree-compile-const-eval/util.global.load-op-undefined-global
// check: run
// verdict: rejected
// guilty-pass: iree-compile-const-eval
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program compiles, runs and ends
// actual: iree-compile-const-eval: pass failed: source.mlir:3:3: 'util.global.load' op undefined global: @dev_c
// issue: unreported

module attributes {stream.affinity.default = #hal.device.affinity<@dev_c>} {
  util.global private @dev_c = #hal.device.target<"local", {ordinal = 0 : index}, [#hal.executable.target<"vmvx", "vmvx-bytecode-fb", {ukernels = "none"}>]> : !hal.device
  util.func public @other() -> (!hal.buffer_view) {
    %c7_i16 = arith.constant 7 : i16
    %c127_i32 = arith.constant 127 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %t0 = flow.tensor.splat %c127_i32 : tensor<8xi32> attributes {stream.affinity = #hal.device.affinity<@dev_c>} loc("op8")
    %v6 = flow.tensor.bitcast %t0 : tensor<8xi32> -> tensor<32xi8> loc("op8")
    cf.br ^bb1(%c16, %v6 : index, tensor<32xi8>) loc("op9")
  ^bb1(%v8: index, %v9: tensor<32xi8>):
    %v10 = "arith.cmpi"(%v8, %c0) <{predicate = 1}> : (index, index) -> (i1) loc("op10")
    cf.cond_br %v10, ^bb2, ^bb3 loc("op11")
  ^bb2:
    %t1 = flow.tensor.bitcast %v6 : tensor<32xi8> -> tensor<16xi16> loc("op13~2~2")
    %t2 = flow.tensor.store %c7_i16, %t1[%c3] : tensor<16xi16> loc("op13~2~2")
    %v6_staging1_stored3 = flow.tensor.bitcast %t2 : tensor<16xi16> -> tensor<32xi8> loc("op13~2~2")
    %v14 = "arith.subi"(%v8, %c1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> (index) loc("op15")
    cf.br ^bb1(%v14, %v6_staging1_stored3 : index, tensor<32xi8>) loc("op16")
  ^bb3:
    %v15 = hal.tensor.export %v9 : tensor<32xi8> -> !hal.buffer_view loc("op18")
    util.return %v15 : !hal.buffer_view loc("op19")
  }
}
