// RUN: iree-compile --compile-from=flow %s -o %t
// RUN: not iree-run-module --device=local-sync --module=%t --module_mode=mmap --function=main
// id: a-loop-that-is-given-one-buffer-twice-is-given-none
// title: A loop that is given one buffer twice is given none in its place
// signature: run/run/error/no-buffer
// check: run
// verdict: broken-contract
// guilty-pass: run
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program compiles, runs and ends
// actual: INVALID_ARGUMENT; binding table slot requires a buffer but none was provided
// issue: unreported

module attributes {stream.affinity.default = #hal.device.affinity<@dev_a>} {
  util.global private @dev_a = #hal.device.target<"local", {ordinal = 0 : index}, [#hal.executable.target<"vmvx", "vmvx-bytecode-fb", {ukernels = "none"}>]> : !hal.device
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
  util.func public @main() {
    %c64 = arith.constant 64 : index
    %v1 = stream.async.alloca : !stream.resource<transient>{%c64} loc("op0")
    util.call @f0(%v1) : (!stream.resource<transient>) -> () loc("op13")
    util.return loc("op16")
  }
  util.func private @f0(%v2: !stream.resource<transient>) attributes {inlining_policy = #util.inline.never} {
    %c0_i64 = arith.constant 0 : i64
    %c12_i64 = arith.constant 12 : i64
    %c28_i64 = arith.constant 28 : i64
    %c64_i64 = arith.constant 64 : i64
    %c2441149859_i64 = arith.constant 2441149859 : i64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c12 = arith.constant 12 : index
    %c24 = arith.constant 24 : index
    %c28 = arith.constant 28 : index
    %c44 = arith.constant 44 : index
    %c52 = arith.constant 52 : index
    %c56 = arith.constant 56 : index
    %c64 = arith.constant 64 : index
    %v17, %v18, %v19 = scf.while (%v20 = %c1, %v21 = %v2, %v22 = %v2) : (index, !stream.resource<transient>, !stream.resource<transient>) -> (index, !stream.resource<transient>, !stream.resource<transient>) {
      %v23 = "arith.cmpi"(%v20, %c0) <{predicate = 1}> : (index, index) -> (i1) loc("op2")
      scf.condition(%v23) %v20, %v21, %v22 : index, !stream.resource<transient>, !stream.resource<transient> loc("op4")
    } do {
    ^bb0(%v24: index, %v25: !stream.resource<transient>, %v26: !stream.resource<transient>):
      %v27 = stream.async.alloca : !stream.resource<transient>{%c64} loc("op5")
      %v28 = stream.async.dispatch @kernel_rrro_7::@run_rrro_7(%c2441149859_i64, %c0_i64, %c0_i64, %c64_i64, %c28_i64, %c12_i64, %c64_i64, %v25[%c0 to %c64 for %c64], %v26[%c24 to %c52 for %c28], %v27[%c44 to %c56 for %c12]) : (i64, i64, i64, i64, i64, i64, i64, !stream.resource<transient>{%c64}, !stream.resource<transient>{%c64}, !stream.resource<transient>{%c64}) -> !stream.resource<transient>{%c64} loc("op7")
      %v29 = "arith.subi"(%v24, %c1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> (index) loc("op8")
      scf.yield %v29, %v28, %v25 : index, !stream.resource<transient>, !stream.resource<transient> loc("op9")
    } loc("op1")
    %v30 = stream.async.alloca on(#hal.device.affinity<@dev_a, [0]>) : !stream.resource<transient>{%c64} loc("op11")
    util.return loc("op12")
  }
}
