// RUN: iree-compile --iree-opt-const-eval=false --iree-input-demote-f64-to-f32=false %s -o %t.vmfb
// RUN: iree-run-module --device=local-sync --module=%t.vmfb --module_mode=mmap --function=main --output_max_element_count=1048576
// RUN: iree-run-module --device=local-sync --module=%t.vmfb --module_mode=mmap --function=main --output_max_element_count=1048576 --device_replay_output=%t.ireereplay
// RUN: iree-dump-replay --format=jsonl %t.ireereplay
// REQUIRES: iree-3.12 || iree-3.13
// id: of-a-dispatch-whose-first-result-nobody-uses-the-second-is-wrong
// title: Of a dispatch that takes no tensor and whose first result nobody uses the second is wrong
// signature: run/iree-compile/wrong-bytes/dispatch/new/same-device
// check: run
// verdict: wrong-value
// guilty-pass: iree-compile
// affects: 3.11.0 not, 3.12.0 shows, 3.13.0 shows
// expected: result 0 of @main on local-sync, inputs 0: 44 b1 34 2a f7 a6 1a 03 b5 a0 26 3c e5 b9 08 15
// actual: result 0 of @main on local-sync, inputs 0: f1 8c 34 2a f7 a5 1a 03 00 9d 26 3c e5 ba 08 15
// issue: unreported

module attributes {stream.affinity.default = #hal.device.affinity<@dev_a>} {
  util.global private @dev_a = #hal.device.target<"local", {ordinal = 0 : index}, [#hal.executable.target<"vmvx", "vmvx-bytecode-fb", {ukernels = "none"}>]> : !hal.device
  stream.executable private @kernel_oo_5 {
    stream.executable.export public @run_oo_5 workgroups() -> (index, index, index) {
      %one = arith.constant 1 : index
      stream.return %one, %one, %one : index, index, index
    }
    builtin.module {
      func.func @run_oo_5(%s0: i64, %s1: i64, %s2: i64, %s3: i64, %s4: i64, %b0: !stream.binding, %b1: !stream.binding) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %zero = arith.constant 0 : i64
        %one = arith.constant 1 : i64
        %start = arith.constant -3750763034362895579 : i64
        %prime = arith.constant 1099511628211 : i64
        %modulus = arith.constant 65521 : i64
        %spread = arith.constant 2654435761 : i64
        %seven = arith.constant 7 : i64
        %three = arith.constant 3 : i64
        %half = arith.constant 16 : i64
        %top = arith.constant 24 : i64
        %word = arith.constant 32 : i64
        %m0x = arith.xori %start, %s0 : i64
        %m0 = arith.muli %m0x, %prime : i64
        %m1x = arith.xori %m0, %s1 : i64
        %m1 = arith.muli %m1x, %prime : i64
        %m2x = arith.xori %m1, %s2 : i64
        %m2 = arith.muli %m2x, %prime : i64
        %m3x = arith.xori %m2, %s3 : i64
        %m3 = arith.muli %m3x, %prime : i64
        %m4x = arith.xori %m3, %s4 : i64
        %m4 = arith.muli %m4x, %prime : i64
        %n0 = arith.index_cast %s3 : i64 to index
        %v0 = stream.binding.subspan %b0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi8>>{%n0}
        %n1 = arith.index_cast %s4 : i64 to index
        %v1 = stream.binding.subspan %b1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi8>>{%n1}
        %k0 = arith.constant 1 : i64
        %w0x = arith.xori %m4, %k0 : i64
        %w0 = arith.muli %w0x, %prime : i64
        %f0 = arith.shrui %w0, %word : i64
        %g0 = arith.xori %w0, %f0 : i64
        %e0 = iree_tensor_ext.dispatch.tensor.load %v0, offsets = [0], sizes = [%n0], strides = [1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi8>>{%n0} -> tensor<?xi8>
        %o0 = scf.for %i = %c0 to %n0 step %c1 iter_args(%old = %e0) -> (tensor<?xi8>) {
          %j = arith.index_cast %i : index to i64
          %j8 = arith.andi %j, %seven : i64
          %bits = arith.shli %j8, %three : i64
          %part = arith.shrui %g0, %bits : i64
          %far = arith.muli %j, %spread : i64
          %near = arith.shrui %far, %top : i64
          %both = arith.xori %part, %near : i64
          %byte = arith.trunci %both : i64 to i8
          %new = tensor.insert %byte into %old[%i] : tensor<?xi8>
          scf.yield %new : tensor<?xi8>
        }
        iree_tensor_ext.dispatch.tensor.store %o0, %v0, offsets = [0], sizes = [%n0], strides = [1] : tensor<?xi8> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi8>>{%n0}
        %k1 = arith.constant 2 : i64
        %w1x = arith.xori %m4, %k1 : i64
        %w1 = arith.muli %w1x, %prime : i64
        %f1 = arith.shrui %w1, %word : i64
        %g1 = arith.xori %w1, %f1 : i64
        %e1 = iree_tensor_ext.dispatch.tensor.load %v1, offsets = [0], sizes = [%n1], strides = [1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi8>>{%n1} -> tensor<?xi8>
        %o1 = scf.for %i = %c0 to %n1 step %c1 iter_args(%old = %e1) -> (tensor<?xi8>) {
          %j = arith.index_cast %i : index to i64
          %j8 = arith.andi %j, %seven : i64
          %bits = arith.shli %j8, %three : i64
          %part = arith.shrui %g1, %bits : i64
          %far = arith.muli %j, %spread : i64
          %near = arith.shrui %far, %top : i64
          %both = arith.xori %part, %near : i64
          %byte = arith.trunci %both : i64 to i8
          %new = tensor.insert %byte into %old[%i] : tensor<?xi8>
          scf.yield %new : tensor<?xi8>
        }
        iree_tensor_ext.dispatch.tensor.store %o1, %v1, offsets = [0], sizes = [%n1], strides = [1] : tensor<?xi8> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi8>>{%n1}
        return
      }
    }
  }
  util.func public @main() -> (!hal.buffer_view) {
    %c0_i64 = arith.constant 0 : i64
    %c16_i64 = arith.constant 16 : i64
    %c32_i64 = arith.constant 32 : i64
    %c127_i64 = arith.constant 127 : i64
    %c1203245305_i64 = arith.constant 1203245305 : i64
    %v2, %v3 = flow.dispatch @kernel_oo_5::@run_oo_5(%c1203245305_i64, %c127_i64, %c0_i64, %c32_i64, %c16_i64) : (i64, i64, i64, i64, i64) -> (tensor<32xi8>, tensor<16xi8>) loc("op6")
    %v4 = hal.tensor.export %v3 : tensor<16xi8> -> !hal.buffer_view loc("op15.result0")
    util.return %v4 : !hal.buffer_view loc("op15")
  }
}
