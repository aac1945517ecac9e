// RUN: not iree-compile --iree-opt-const-eval=false --iree-input-demote-f64-to-f32=false %s -o %t.vmfb 2>&1
// id: a-branch-that-hands-on-a-tensor-of-dynamic-size-behind-a-barrier-is-refused
// title: A dynamic tensor that a branch hands on behind an optimization barrier keeps a tensor.dim that nobody resolves
// signature: run/iree-compile/tensor.dim-op-unexpected-during-shape-cleanup-dynamic-dimensions-must-have-been-resolved-p
// check: run
// verdict: rejected
// guilty-pass: iree-compile
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program compiles, runs and ends
// actual: iree-compile: pass failed: source.mlir:74:3: 'tensor.dim' op unexpected during shape cleanup; dynamic dimensions must have been resolved prior to leaving the fl
// issue: unreported

module attributes {stream.affinity.default = #hal.device.affinity<@dev_a>} {
  util.global private @dev_a = #hal.device.target<"local", {ordinal = 0 : index}, [#hal.executable.target<"vmvx", "vmvx-bytecode-fb", {ukernels = "none"}>]> : !hal.device
  stream.executable private @kernel_ro_5 {
    stream.executable.export public @run_ro_5 workgroups() -> (index, index, index) {
      %one = arith.constant 1 : index
      stream.return %one, %one, %one : index, index, index
    }
    builtin.module {
      func.func @run_ro_5(%s0: i64, %s1: i64, %s2: i64, %s3: i64, %s4: i64, %b0: !stream.binding, %b1: !stream.binding) {
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
        %v0 = stream.binding.subspan %b0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<?xi8>>{%n0}
        %n1 = arith.index_cast %s4 : i64 to index
        %v1 = stream.binding.subspan %b1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi8>>{%n1}
        %t0 = iree_tensor_ext.dispatch.tensor.load %v0, offsets = [0], sizes = [%n0], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<?xi8>>{%n0} -> tensor<?xi8>
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
        %r0x = arith.xori %m4, %sum0 : i64
        %r0 = arith.muli %r0x, %prime : i64
        %k1 = arith.constant 2 : i64
        %w1x = arith.xori %r0, %k1 : i64
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
  util.func public @main(%v0: i1, %v1: index, %v2: !hal.buffer_view, %v3: i64) -> (!hal.buffer_view) {
    %c0_i64 = arith.constant 0 : i64
    %c48_i64 = arith.constant 48 : i64
    %c2524581524_i64 = arith.constant 2524581524 : i64
    %c0 = arith.constant 0 : index
    %c48 = arith.constant 48 : index
    %v9_external1 = hal.tensor.import %v2 : !hal.buffer_view -> tensor<?xi8>{%v1} loc("main.argument2")
    %v10 = scf.if %v0 -> (tensor<?xi8>) {
      %v11 = util.optimization_barrier %v9_external1 : tensor<?xi8> loc("op2")
      scf.yield %v11 : tensor<?xi8> loc("op3")
    } else {
      %v12 = flow.tensor.slice %v9_external1[%c0 for %c48] : tensor<?xi8>{%v1} -> tensor<48xi8> loc("op4")
      %v13 = flow.dispatch @kernel_ro_5::@run_ro_5(%c2524581524_i64, %c0_i64, %c0_i64, %c48_i64, %v3, %v12) : (i64, i64, i64, i64, i64, tensor<48xi8>) -> tensor<?xi8>{%v1} loc("op5")
      scf.yield %v13 : tensor<?xi8> loc("op6")
    } loc("op1")
    %v14 = hal.tensor.export %v10 : tensor<?xi8>{%v1} -> !hal.buffer_view loc("op9")
    util.return %v14 : !hal.buffer_view loc("op11")
  }
}
