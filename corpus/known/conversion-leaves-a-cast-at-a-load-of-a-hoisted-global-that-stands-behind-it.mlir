// RUN: not iree-compile --iree-opt-const-eval=false --iree-input-demote-f64-to-f32=false %s -o %t.vmfb 2>&1
// id: conversion-leaves-a-cast-at-a-load-of-a-hoisted-global-that-stands-behind-it
// title: Conversion leaves a cast at a load of a hoisted global that stands behind the function that loads it
// signature: run/iree-compile/failed-to-legalize-unresolved-materialization-from-to-that-remained-live-after-conversion
// check: run
// verdict: rejected
// guilty-pass: iree-compile
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program compiles, runs and ends
// actual: iree-compile: pass failed: source.mlir:222:3: failed to legalize unresolved target materialization from ('!stream.resource<*>') to ('!stream.resource<*>', 'inde
// issue: unreported

module attributes {stream.affinity.default = #hal.device.affinity<@dev_a>} {
  util.global private @dev_a = #hal.device.target<"local", {ordinal = 0 : index}, [#hal.executable.target<"vmvx", "vmvx-bytecode-fb", {ukernels = "none"}>]> : !hal.device
  stream.executable private @kernel_rroo_7 {
    stream.executable.export public @run_rroo_7 workgroups() -> (index, index, index) {
      %one = arith.constant 1 : index
      stream.return %one, %one, %one : index, index, index
    }
    builtin.module {
      func.func @run_rroo_7(%s0: i64, %s1: i64, %s2: i64, %s3: i64, %s4: i64, %s5: i64, %s6: i64, %b0: !stream.binding, %b1: !stream.binding, %b2: !stream.binding, %b3: !stream.binding) {
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
        %m5x = arith.xori %m4, %s5 : i64
        %m5 = arith.muli %m5x, %prime : i64
        %m6x = arith.xori %m5, %s6 : i64
        %m6 = arith.muli %m6x, %prime : i64
        %n0 = arith.index_cast %s3 : i64 to index
        %v0 = stream.binding.subspan %b0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<?xi8>>{%n0}
        %n1 = arith.index_cast %s4 : i64 to index
        %v1 = stream.binding.subspan %b1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<?xi8>>{%n1}
        %n2 = arith.index_cast %s5 : i64 to index
        %v2 = stream.binding.subspan %b2[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi8>>{%n2}
        %n3 = arith.index_cast %s6 : i64 to index
        %v3 = stream.binding.subspan %b3[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi8>>{%n3}
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
        %r0x = arith.xori %m6, %sum0 : i64
        %r0 = arith.muli %r0x, %prime : i64
        %t1 = iree_tensor_ext.dispatch.tensor.load %v1, offsets = [0], sizes = [%n1], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<?xi8>>{%n1} -> tensor<?xi8>
        %a1:2 = scf.for %i = %c0 to %n1 step %c1 iter_args(%x = %one, %y = %zero) -> (i64, i64) {
          %byte = tensor.extract %t1[%i] : tensor<?xi8>
          %wide = arith.extui %byte : i8 to i64
          %x1 = arith.addi %x, %wide : i64
          %y1 = arith.addi %y, %x1 : i64
          scf.yield %x1, %y1 : i64, i64
        }
        %low1 = arith.remui %a1#0, %modulus : i64
        %high1 = arith.remui %a1#1, %modulus : i64
        %up1 = arith.shli %high1, %half : i64
        %sum1 = arith.ori %up1, %low1 : i64
        %r1x = arith.xori %r0, %sum1 : i64
        %r1 = arith.muli %r1x, %prime : i64
        %k2 = arith.constant 3 : i64
        %w2x = arith.xori %r1, %k2 : i64
        %w2 = arith.muli %w2x, %prime : i64
        %f2 = arith.shrui %w2, %word : i64
        %g2 = arith.xori %w2, %f2 : i64
        %e2 = iree_tensor_ext.dispatch.tensor.load %v2, offsets = [0], sizes = [%n2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi8>>{%n2} -> tensor<?xi8>
        %o2 = scf.for %i = %c0 to %n2 step %c1 iter_args(%old = %e2) -> (tensor<?xi8>) {
          %j = arith.index_cast %i : index to i64
          %j8 = arith.andi %j, %seven : i64
          %bits = arith.shli %j8, %three : i64
          %part = arith.shrui %g2, %bits : i64
          %far = arith.muli %j, %spread : i64
          %near = arith.shrui %far, %top : i64
          %both = arith.xori %part, %near : i64
          %byte = arith.trunci %both : i64 to i8
          %new = tensor.insert %byte into %old[%i] : tensor<?xi8>
          scf.yield %new : tensor<?xi8>
        }
        iree_tensor_ext.dispatch.tensor.store %o2, %v2, offsets = [0], sizes = [%n2], strides = [1] : tensor<?xi8> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi8>>{%n2}
        %k3 = arith.constant 4 : i64
        %w3x = arith.xori %r1, %k3 : i64
        %w3 = arith.muli %w3x, %prime : i64
        %f3 = arith.shrui %w3, %word : i64
        %g3 = arith.xori %w3, %f3 : i64
        %e3 = iree_tensor_ext.dispatch.tensor.load %v3, offsets = [0], sizes = [%n3], strides = [1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi8>>{%n3} -> tensor<?xi8>
        %o3 = scf.for %i = %c0 to %n3 step %c1 iter_args(%old = %e3) -> (tensor<?xi8>) {
          %j = arith.index_cast %i : index to i64
          %j8 = arith.andi %j, %seven : i64
          %bits = arith.shli %j8, %three : i64
          %part = arith.shrui %g3, %bits : i64
          %far = arith.muli %j, %spread : i64
          %near = arith.shrui %far, %top : i64
          %both = arith.xori %part, %near : i64
          %byte = arith.trunci %both : i64 to i8
          %new = tensor.insert %byte into %old[%i] : tensor<?xi8>
          scf.yield %new : tensor<?xi8>
        }
        iree_tensor_ext.dispatch.tensor.store %o3, %v3, offsets = [0], sizes = [%n3], strides = [1] : tensor<?xi8> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi8>>{%n3}
        return
      }
    }
  }
  stream.executable private @kernel_rrro_7 {
    stream.executable.export public @run_rrro_7 workgroups() -> (index, index, index) {
      %one = arith.constant 1 : index
      stream.return %one, %one, %one : index, index, index
    }
    builtin.module {
      func.func @run_rrro_7(%s0: i64, %s1: i64, %s2: i64, %s3: i64, %s4: i64, %s5: i64, %s6: i64, %b0: !stream.binding, %b1: !stream.binding, %b2: !stream.binding, %b3: !stream.binding) {
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
        %m5x = arith.xori %m4, %s5 : i64
        %m5 = arith.muli %m5x, %prime : i64
        %m6x = arith.xori %m5, %s6 : i64
        %m6 = arith.muli %m6x, %prime : i64
        %n0 = arith.index_cast %s3 : i64 to index
        %v0 = stream.binding.subspan %b0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<?xi8>>{%n0}
        %n1 = arith.index_cast %s4 : i64 to index
        %v1 = stream.binding.subspan %b1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<?xi8>>{%n1}
        %n2 = arith.index_cast %s5 : i64 to index
        %v2 = stream.binding.subspan %b2[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<?xi8>>{%n2}
        %n3 = arith.index_cast %s6 : i64 to index
        %v3 = stream.binding.subspan %b3[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi8>>{%n3}
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
        %r0x = arith.xori %m6, %sum0 : i64
        %r0 = arith.muli %r0x, %prime : i64
        %t1 = iree_tensor_ext.dispatch.tensor.load %v1, offsets = [0], sizes = [%n1], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<?xi8>>{%n1} -> tensor<?xi8>
        %a1:2 = scf.for %i = %c0 to %n1 step %c1 iter_args(%x = %one, %y = %zero) -> (i64, i64) {
          %byte = tensor.extract %t1[%i] : tensor<?xi8>
          %wide = arith.extui %byte : i8 to i64
          %x1 = arith.addi %x, %wide : i64
          %y1 = arith.addi %y, %x1 : i64
          scf.yield %x1, %y1 : i64, i64
        }
        %low1 = arith.remui %a1#0, %modulus : i64
        %high1 = arith.remui %a1#1, %modulus : i64
        %up1 = arith.shli %high1, %half : i64
        %sum1 = arith.ori %up1, %low1 : i64
        %r1x = arith.xori %r0, %sum1 : i64
        %r1 = arith.muli %r1x, %prime : i64
        %t2 = iree_tensor_ext.dispatch.tensor.load %v2, offsets = [0], sizes = [%n2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<?xi8>>{%n2} -> tensor<?xi8>
        %a2:2 = scf.for %i = %c0 to %n2 step %c1 iter_args(%x = %one, %y = %zero) -> (i64, i64) {
          %byte = tensor.extract %t2[%i] : tensor<?xi8>
          %wide = arith.extui %byte : i8 to i64
          %x1 = arith.addi %x, %wide : i64
          %y1 = arith.addi %y, %x1 : i64
          scf.yield %x1, %y1 : i64, i64
        }
        %low2 = arith.remui %a2#0, %modulus : i64
        %high2 = arith.remui %a2#1, %modulus : i64
        %up2 = arith.shli %high2, %half : i64
        %sum2 = arith.ori %up2, %low2 : i64
        %r2x = arith.xori %r1, %sum2 : i64
        %r2 = arith.muli %r2x, %prime : i64
        %k3 = arith.constant 4 : i64
        %w3x = arith.xori %r2, %k3 : i64
        %w3 = arith.muli %w3x, %prime : i64
        %f3 = arith.shrui %w3, %word : i64
        %g3 = arith.xori %w3, %f3 : i64
        %e3 = iree_tensor_ext.dispatch.tensor.load %v3, offsets = [0], sizes = [%n3], strides = [1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi8>>{%n3} -> tensor<?xi8>
        %o3 = scf.for %i = %c0 to %n3 step %c1 iter_args(%old = %e3) -> (tensor<?xi8>) {
          %j = arith.index_cast %i : index to i64
          %j8 = arith.andi %j, %seven : i64
          %bits = arith.shli %j8, %three : i64
          %part = arith.shrui %g3, %bits : i64
          %far = arith.muli %j, %spread : i64
          %near = arith.shrui %far, %top : i64
          %both = arith.xori %part, %near : i64
          %byte = arith.trunci %both : i64 to i8
          %new = tensor.insert %byte into %old[%i] : tensor<?xi8>
          scf.yield %new : tensor<?xi8>
        }
        iree_tensor_ext.dispatch.tensor.store %o3, %v3, offsets = [0], sizes = [%n3], strides = [1] : tensor<?xi8> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi8>>{%n3}
        return
      }
    }
  }
  util.func public @main() -> (!hal.buffer_view) {
    %c7_i16 = arith.constant 7 : i16
    %c0_i64 = arith.constant 0 : i64
    %c32_i64 = arith.constant 32 : i64
    %c85_i64 = arith.constant 85 : i64
    %c3747437221_i64 = arith.constant 3747437221 : i64
    %t0 = flow.tensor.splat %c7_i16 : tensor<16xi16> loc("op0")
    %v5 = flow.tensor.bitcast %t0 : tensor<16xi16> -> tensor<32xi8> loc("op0")
    %v7, %v8 = flow.dispatch @kernel_rroo_7::@run_rroo_7(%c3747437221_i64, %c85_i64, %c0_i64, %c32_i64, %c32_i64, %c32_i64, %c32_i64, %v5, %v5) : (i64, i64, i64, i64, i64, i64, i64, tensor<32xi8>, tensor<32xi8>) -> (tensor<32xi8>, tensor<32xi8>) loc("op5")
    %v9 = util.call @f0(%v8) : (tensor<32xi8>) -> tensor<32xi8> loc("op17")
    %v10 = hal.tensor.export %v9 : tensor<32xi8> -> !hal.buffer_view loc("op28.result0")
    util.return %v10 : !hal.buffer_view loc("op28")
  }
  util.func private @f0(%v11: tensor<32xi8>) -> (tensor<32xi8>) attributes {inlining_policy = #util.inline.never} {
    %c0_i64 = arith.constant 0 : i64
    %c12_i64 = arith.constant 12 : i64
    %c32_i64 = arith.constant 32 : i64
    %c127_i64 = arith.constant 127 : i64
    %c3093697170_i64 = arith.constant 3093697170 : i64
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %t0 = flow.tensor.constant dense<4> : tensor<8xi32> loc("op12")
    %v19_constant1 = flow.tensor.bitcast %t0 : tensor<8xi32> -> tensor<32xi8> loc("op12")
    %v21 = flow.tensor.slice %v19_constant1[%c8 for %c12] : tensor<32xi8> -> tensor<12xi8> loc("op15")
    %v22 = flow.dispatch @kernel_rrro_7::@run_rrro_7(%c3093697170_i64, %c127_i64, %c0_i64, %c32_i64, %c12_i64, %c32_i64, %c32_i64, %v11, %v21, %v11) {stream.affinity = #hal.device.affinity<@dev_a>} : (i64, i64, i64, i64, i64, i64, i64, tensor<32xi8>, tensor<12xi8>, tensor<32xi8>) -> tensor<32xi8> loc("op15~2")
    util.return %v22 : tensor<32xi8> loc("op16")
  }
}
