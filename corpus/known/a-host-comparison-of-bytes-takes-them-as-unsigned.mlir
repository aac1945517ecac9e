// RUN: iree-compile --compile-from=flow %s -o %t.vmfb
// RUN: iree-run-module --device=local-sync --module=%t.vmfb --module_mode=mmap --function=main --output_max_element_count=1048576 '--input=&32xi8=65 32 16 60 25 -11 -49 -125 -44 54 65 -124 -120 127 -44 -23 -36 -5 -98 -106 90 94 -17 -12 25 -1 -115 -53 -34 -49 -1 -73' '--input=&32xi8=65 -7 45 -85 45 123 -47 7 -46 -14 120 92 118 11 -29 32 -67 116 29 -22 5 67 -36 3 -51 -6 28 88 -106 -53 104 79'
// RUN: iree-run-module --device=local-sync --module=%t.vmfb --module_mode=mmap --function=main --output_max_element_count=1048576 --device_replay_output=%t.ireereplay '--input=&32xi8=65 32 16 60 25 -11 -49 -125 -44 54 65 -124 -120 127 -44 -23 -36 -5 -98 -106 90 94 -17 -12 25 -1 -115 -53 -34 -49 -1 -73' '--input=&32xi8=65 -7 45 -85 45 123 -47 7 -46 -14 120 92 118 11 -29 32 -67 116 29 -22 5 67 -36 3 -51 -6 28 88 -106 -53 104 79'
// RUN: iree-dump-replay --format=jsonl %t.ireereplay
// REQUIRES: iree-3.12 || iree-3.13
// id: a-host-comparison-of-bytes-takes-them-as-unsigned
// title: A comparison of signed bytes that the host has loaded takes them as unsigned
// signature: run/run/compared-as-unsigned
// check: run
// verdict: wrong-value
// guilty-pass: run
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: result 0 of @main on local-sync, inputs 0: fe 64 53 d6 88 bb bf 5d 0f 75 41 c0 9a a4 ad 4b 1d 7b 70 b2 ac 56 92 38 2b 89 7e a3 be 40 80 26
// actual: result 0 of @main on local-sync, inputs 0: 41 20 10 3c 19 f5 cf 83 d4 36 41 84 88 7f d4 e9 dc fb 9e 96 5a 5e ef f4 19 ff 8d cb de cf ff b7
// issue: unreported

module attributes {stream.affinity.default = #hal.device.affinity<@dev_b>} {
  util.global private @dev_b = #hal.device.target<"local", {ordinal = 0 : index}, [#hal.executable.target<"vmvx", "vmvx-bytecode-fb", {ukernels = "none"}>]> : !hal.device
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
  util.func public @main(%v0: !stream.resource<external>, %v1: !stream.resource<staging>) -> (!hal.buffer_view) {
    %c0_i64 = arith.constant 0 : i64
    %c16_i64 = arith.constant 16 : i64
    %c32_i64 = arith.constant 32 : i64
    %c3520754756_i64 = arith.constant 3520754756 : i64
    %c7_i8 = arith.constant 7 : i8
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %c28 = arith.constant 28 : index
    %c32 = arith.constant 32 : index
    %v11 = stream.async.dispatch @kernel_ro_5::@run_ro_5(%c3520754756_i64, %c0_i64, %c0_i64, %c16_i64, %c32_i64, %v0[%c12 to %c28 for %c16]) : (i64, i64, i64, i64, i64, !stream.resource<external>{%c32}) -> !stream.resource<external>{%c32} loc("op1")
    %v12 = stream.async.load %v1[%c16] : !stream.resource<staging>{%c32} -> i8 loc("op3")
    %v13 = "arith.cmpi"(%v12, %c7_i8) <{predicate = 2}> : (i8, i8) -> (i1) loc("op4")
    %v14 = arith.select %v13, %v11, %v0 : !stream.resource<external> loc("op5")
    %v15 = stream.tensor.export %v14 : tensor<32xi8> in !stream.resource<external>{%c32} -> !hal.buffer_view loc("op14.wide0")
    util.return %v15 : !hal.buffer_view loc("op14")
  }
}
