// RUN: not iree-compile --iree-opt-const-eval=false --iree-input-demote-f64-to-f32=false %s -o %t.vmfb 2>&1
// id: the-whole-compiler-gives-a-call-and-its-callee-two-lifetimes
// title: Through the whole compiler a call and its callee disagree about the lifetime of a constant
// signature: run/iree-compile/util.call-types-differ
// check: run
// verdict: rejected
// guilty-pass: iree-compile
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program compiles, runs and ends
// actual: iree-compile: pass failed: source.mlir:92:3: 'util.call' op function type mismatch; expected '(!stream.resource<transient>, index) -> !stream.resource<transient
// issue: unreported

module attributes {stream.affinity.default = #hal.device.affinity<@dev_b>} {
  util.global private @dev_b = #hal.device.target<"local", {ordinal = 0 : index}, [#hal.executable.target<"vmvx", "vmvx-bytecode-fb", {ukernels = "none"}>]> : !hal.device
  stream.executable private @kernel_rro_6 {
    stream.executable.export public @run_rro_6 workgroups() -> (index, index, index) {
      %one = arith.constant 1 : index
      stream.return %one, %one, %one : index, index, index
    }
    builtin.module {
      func.func @run_rro_6(%s0: i64, %s1: i64, %s2: i64, %s3: i64, %s4: i64, %s5: i64, %b0: !stream.binding, %b1: !stream.binding, %b2: !stream.binding) {
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
        %n0 = arith.index_cast %s3 : i64 to index
        %v0 = stream.binding.subspan %b0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<?xi8>>{%n0}
        %n1 = arith.index_cast %s4 : i64 to index
        %v1 = stream.binding.subspan %b1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<?xi8>>{%n1}
        %n2 = arith.index_cast %s5 : i64 to index
        %v2 = stream.binding.subspan %b2[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi8>>{%n2}
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
        %r0x = arith.xori %m5, %sum0 : i64
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
        return
      }
    }
  }
  util.func public @main() {
    %c1_i16 = arith.constant 1 : i16
    %c0_i64 = arith.constant 0 : i64
    %c8_i64 = arith.constant 8 : i64
    %c12_i64 = arith.constant 12 : i64
    %c16_i64 = arith.constant 16 : i64
    %c42_i64 = arith.constant 42 : i64
    %c3176992485_i64 = arith.constant 3176992485 : i64
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %t0 = flow.tensor.splat %c1_i16 : tensor<8xi16> loc("op0")
    %v11 = flow.tensor.bitcast %t0 : tensor<8xi16> -> tensor<16xi8> loc("op0")
    %v13 = flow.tensor.slice %v11[%c0 for %c12] : tensor<16xi8> -> tensor<12xi8> loc("op3")
    %v14 = flow.tensor.slice %v11[%c4 for %c8] : tensor<16xi8> -> tensor<8xi8> loc("op3~2")
    %v15 = flow.dispatch @kernel_rro_6::@run_rro_6(%c3176992485_i64, %c42_i64, %c0_i64, %c12_i64, %c8_i64, %c16_i64, %v13, %v14) : (i64, i64, i64, i64, i64, i64, tensor<12xi8>, tensor<8xi8>) -> tensor<16xi8> loc("op3~3")
    %v16 = util.call @f0(%v15) : (tensor<16xi8>) -> tensor<16xi8> loc("op11")
    %v17 = util.call @f0(%v16) : (tensor<16xi8>) -> tensor<16xi8> loc("op12")
    util.return loc("op20")
  }
  util.func private @f0(%v18: tensor<16xi8>) -> (tensor<16xi8>) attributes {inlining_policy = #util.inline.never} {
    %c0_i64 = arith.constant 0 : i64
    %c4_i64 = arith.constant 4 : i64
    %c16_i64 = arith.constant 16 : i64
    %c1057855796_i64 = arith.constant 1057855796 : i64
    %c4602678819172646912_i64 = arith.constant 4602678819172646912 : i64
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %v27 = flow.tensor.slice %v18[%c12 for %c4] : tensor<16xi8> -> tensor<4xi8> loc("op9")
    %v28 = flow.tensor.slice %v18[%c8 for %c4] : tensor<16xi8> -> tensor<4xi8> loc("op9~2")
    %v29 = flow.dispatch @kernel_rro_6::@run_rro_6(%c1057855796_i64, %c4602678819172646912_i64, %c0_i64, %c4_i64, %c4_i64, %c16_i64, %v27, %v28) {stream.affinity = #hal.device.affinity<@dev_b>} : (i64, i64, i64, i64, i64, i64, tensor<4xi8>, tensor<4xi8>) -> tensor<16xi8> loc("op9~3")
    util.return %v29 : tensor<16xi8> loc("op10")
  }
}
