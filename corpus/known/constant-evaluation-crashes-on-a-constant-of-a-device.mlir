// RUN: not iree-compile --iree-input-demote-f64-to-f32=false %s -o %t.vmfb
// id: constant-evaluation-crashes-on-a-constant-of-a-device
// title: Constant evaluation of a program for several devices crashes the compiler
// signature: run/iree-compile-const-eval/crash/SIGSEGV
// check: run
// verdict: crash
// guilty-pass: iree-compile-const-eval
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program compiles, runs and ends
// actual: iree-compile-const-eval: the compiler crashed (SIGSEGV)
// issue: unreported

module attributes {stream.affinity.default = #hal.device.affinity<@dev_a>} {
  util.global private @dev_a = #hal.device.target<"local", {ordinal = 0 : index}, [#hal.executable.target<"vmvx", "vmvx-bytecode-fb", {ukernels = "none"}>]> : !hal.device
  stream.executable private @kernel_w_4 {
    stream.executable.export public @run_w_4 workgroups() -> (index, index, index) {
      %one = arith.constant 1 : index
      stream.return %one, %one, %one : index, index, index
    }
    builtin.module {
      func.func @run_w_4(%s0: i64, %s1: i64, %s2: i64, %s3: i64, %b0: !stream.binding) {
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
        %n0 = arith.index_cast %s3 : i64 to index
        %v0 = stream.binding.subspan %b0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi8>>{%n0}
        %t0 = iree_tensor_ext.dispatch.tensor.load %v0, offsets = [0], sizes = [%n0], strides = [1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi8>>{%n0} -> tensor<?xi8>
        %a0:2 = scf.for %i = %c0 to %n0 step %c1 iter_args(%x = %one, %y = %zero) -> (i64, i64) {
          %byte = tensor.extract %t0[%i] : tensor<?xi8>
          %wide = arith.extui %byte : i8 to i64
          %x1 = arith.addi %x, %wide : i64
          %y1 = arith.addi %y, %x1 : i64
          scf.yield %x1, %y1 : i64, i64
        }
        %low0 = arith.remui %a0#0, %modulus : i64
        %high0 = arith.remui %a0#1, %modulus : i64
        %up0 = arith.shli %high0, %half : i64
        %sum0 = arith.ori %up0, %low0 : i64
        %r0x = arith.xori %m3, %sum0 : i64
        %r0 = arith.muli %r0x, %prime : i64
        %k0 = arith.constant 1 : i64
        %w0x = arith.xori %r0, %k0 : i64
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
        return
      }
    }
  }
  util.func public @main() -> (!hal.buffer_view) {
    %cn1_i64 = arith.constant -1 : i64
    %t0 = flow.tensor.splat %cn1_i64 : tensor<4xi64> attributes {stream.affinity = #hal.device.affinity<@dev_a>} loc("op0")
    %v1 = flow.tensor.bitcast %t0 : tensor<4xi64> -> tensor<32xi8> loc("op0")
    %v3 = util.call @f0(%v1) : (tensor<32xi8>) -> tensor<32xi8> loc("op3")
    %v4 = hal.tensor.export %v3 : tensor<32xi8> -> !hal.buffer_view loc("op8.result0")
    util.return %v4 : !hal.buffer_view loc("op8")
  }
  util.func private @f0(%v5: tensor<32xi8>) -> (tensor<32xi8>) {
    %c0_i64 = arith.constant 0 : i64
    %c32_i64 = arith.constant 32 : i64
    %c1842558213_i64 = arith.constant 1842558213 : i64
    %v9 = flow.dispatch @kernel_w_4::@run_w_4(%c1842558213_i64, %c0_i64, %c0_i64, %c32_i64, %v5) : (i64, i64, i64, i64, tensor<32xi8>) -> %v5 loc("op1")
    util.return %v9 : tensor<32xi8> loc("op2")
  }
}
