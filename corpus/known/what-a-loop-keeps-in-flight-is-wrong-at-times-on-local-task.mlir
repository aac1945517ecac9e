// RUN: iree-compile --compile-from=flow %s -o %t.vmfb
// RUN: iree-run-module --device=local-task --module=%t.vmfb --module_mode=mmap --function=main
// id: what-a-loop-keeps-in-flight-is-wrong-at-times-on-local-task
// title: What a loop keeps in flight on a local-task device is wrong at times, and right on local-sync
// signature: run/run/when-concurrent
// check: run
// verdict: broken-contract
// guilty-pass: run
// affects: 3.11.0 not, 3.12.0 sometimes, 3.13.0 sometimes
// expected: what the first loop's last turn makes, as on local-sync, every time
// actual: other bytes in about one process of four, always before the runtime has run anything else
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
  stream.executable private @kernel_roo_6 {
    stream.executable.export public @run_roo_6 workgroups() -> (index, index, index) {
      %one = arith.constant 1 : index
      stream.return %one, %one, %one : index, index, index
    }
    builtin.module {
      func.func @run_roo_6(%s0: i64, %s1: i64, %s2: i64, %s3: i64, %s4: i64, %s5: i64, %b0: !stream.binding, %b1: !stream.binding, %b2: !stream.binding) {
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
        %v1 = stream.binding.subspan %b1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi8>>{%n1}
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
        %k2 = arith.constant 3 : i64
        %w2x = arith.xori %r0, %k2 : i64
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
  util.func public @main() -> (!hal.buffer_view, !hal.buffer_view) {
    %c0_i64 = arith.constant 0 : i64
    %c8_i64 = arith.constant 8 : i64
    %c12_i64 = arith.constant 12 : i64
    %c32_i64 = arith.constant 32 : i64
    %c42_i64 = arith.constant 42 : i64
    %c128_i64 = arith.constant 128 : i64
    %c157875247_i64 = arith.constant 157875247 : i64
    %c2033474688_i64 = arith.constant 2033474688 : i64
    %c2524581524_i64 = arith.constant 2524581524 : i64
    %c4288687662_i64 = arith.constant 4288687662 : i64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %c24 = arith.constant 24 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %v9 = stream.async.splat on(#hal.device.affinity<@dev_a>) %c42_i64 : i64 -> !stream.resource<transient>{%c32} loc("op0")
    %v10, %v11 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @kernel_roo_6::@run_roo_6(%c157875247_i64, %c0_i64, %c0_i64, %c32_i64, %c32_i64, %c8_i64, %v9[%c0 to %c32 for %c32]) : (i64, i64, i64, i64, i64, i64, !stream.resource<transient>{%c32}) -> (!stream.resource<transient>{%c32}, !stream.resource<transient>{%c8}) loc("op1")
    %v12, %v13 = scf.for %v14 = %c0 to %c3 step %c1 iter_args(%v15 = %v11, %v16 = %v11) -> (!stream.resource<transient>, !stream.resource<transient>) {
      %v17 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @kernel_ro_5::@run_ro_5(%c2524581524_i64, %c0_i64, %c0_i64, %c8_i64, %c128_i64, %v11[%c0 to %c8 for %c8]) : (i64, i64, i64, i64, i64, !stream.resource<transient>{%c8}) -> !stream.resource<transient>{%c128} loc("op3")
      %v18 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @kernel_rro_6::@run_rro_6(%c4288687662_i64, %c0_i64, %c0_i64, %c8_i64, %c128_i64, %c8_i64, %v16[%c0 to %c8 for %c8], %v17[%c0 to %c128 for %c128]) : (i64, i64, i64, i64, i64, i64, !stream.resource<transient>{%c8}, !stream.resource<transient>{%c128}) -> !stream.resource<transient>{%c8} loc("op4")
      scf.yield %v18, %v15 : !stream.resource<transient>, !stream.resource<transient> loc("op5")
    } loc("op2")
    %v19 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @kernel_rro_6::@run_rro_6(%c2033474688_i64, %c0_i64, %c0_i64, %c12_i64, %c8_i64, %c128_i64, %v10[%c12 to %c24 for %c12], %v13[%c0 to %c8 for %c8]) : (i64, i64, i64, i64, i64, i64, !stream.resource<transient>{%c32}, !stream.resource<transient>{%c8}) -> !stream.resource<external>{%c128} loc("op6")
    %v20 = stream.async.clone on(#hal.device.affinity<@dev_a>) %v12 : !stream.resource<transient>{%c8} -> !stream.resource<external>{%c8} loc("op7")
    %v21 = stream.tensor.export on(#hal.device.affinity<@dev_a>) %v20 : tensor<8xi8> in !stream.resource<external>{%c8} -> !hal.buffer_view loc("op8")
    %v22 = stream.tensor.export on(#hal.device.affinity<@dev_a>) %v19 : tensor<128xi8> in !stream.resource<external>{%c128} -> !hal.buffer_view loc("op9")
    util.return %v21, %v22 : !hal.buffer_view, !hal.buffer_view loc("op10")
  }
}
