// RUN: iree-opt '--pass-pipeline=builtin.module(func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize),iree-util-verify-initialization-order,iree-stream-verify-input,func.func(canonicalize,cse),util.initializer(canonicalize,cse),util.func(canonicalize,cse),iree-stream-clone-to-consumers,iree-stream-conversion,iree-stream-verify-lowering-to-tensors,inline,func.func(canonicalize,cse),util.initializer(canonicalize,cse),util.func(canonicalize,cse),iree-util-combine-initializers,func.func(canonicalize,cse),util.initializer(canonicalize,cse),util.func(canonicalize,cse),func.func(canonicalize,cse),util.initializer(canonicalize,cse),util.func(canonicalize,cse),iree-stream-specialize-encodings,func.func(iree-stream-encode-host-tensors),util.initializer(iree-stream-encode-host-tensors),util.func(iree-stream-encode-host-tensors),stream.executable(iree-stream-encode-device-tensors),iree-stream-materialize-encodings,func.func(iree-stream-layout-slices),util.initializer(iree-stream-layout-slices),util.func(iree-stream-layout-slices),func.func(canonicalize,cse),util.initializer(canonicalize,cse),util.func(canonicalize,cse),iree-stream-verify-lowering-to-async-resources,func.func(iree-stream-materialize-copy-on-write,canonicalize),util.initializer(iree-stream-materialize-copy-on-write,canonicalize),util.func(iree-stream-materialize-copy-on-write,canonicalize),iree-stream-elide-async-copies,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize),func.func(iree-stream-emplace-allocations),util.initializer(iree-stream-emplace-allocations),util.func(iree-stream-emplace-allocations),iree-stream-refine-usage,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize),iree-stream-elide-async-copies,func.func(canonicalize,cse),util.initializer(canonicalize,cse),util.func(canonicalize,cse),iree-stream-verify-async-access-ranges,iree-stream-place-transfer-executions)' --mlir-print-debuginfo %s > before.mlir
// RUN: iree-opt '--pass-pipeline=builtin.module(func.func(iree-stream-schedule-execution),util.initializer(iree-stream-schedule-execution),util.func(iree-stream-schedule-execution))' --mlir-print-debuginfo before.mlir
// id: a-select-of-a-timepoint-barrier-s-result-does-not-wai-b7b691
// title: A select of a timepoint barrier's result does not wait for what makes it
// signature: coverage/schedule-execution/use-without-wait/by-arith.select
// check: coverage
// verdict: broken-contract
// guilty-pass: schedule-execution
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: each op that needs to run is in one execution region, and what a region makes is taken only by those who wait for it
// actual: op13 (arith.select) takes %v2 and waits for no timepoint by which the region op3+op2 that makes it has ended
// issue: unreported

module {
  util.func public @main(%v0: i1) -> (!hal.buffer_view) {
    %c16 = arith.constant 16 : index
    %v2 = stream.async.alloca : !stream.resource<transient>{%c16} loc("op2")
    %v3 = util.call @f0(%v2) : (!stream.resource<transient>) -> !stream.resource<transient> loc("op8")
    %v4, %v5 = stream.timepoint.barrier %v3 : !stream.resource<transient>{%c16} => !stream.timepoint loc("op9")
    %v6 = scf.if %v0 -> (!stream.resource<transient>) {
      scf.yield %v4 : !stream.resource<transient> loc("op15")
    } else {
      scf.yield %v3 : !stream.resource<transient> loc("op22")
    } loc("op13")
    %v7 = stream.async.transfer %v6 : !stream.resource<transient>{%c16} -> !stream.resource<external>{%c16} loc("op25")
    %v8 = stream.tensor.export %v7 : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op26")
    util.return %v8 : !hal.buffer_view loc("op27")
  }
  util.func public @f0(%v9: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c16 = arith.constant 16 : index
    %v11 = stream.async.transfer %v9 : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a, [0]>) -> !stream.resource<transient>{%c16} loc("op3")
    util.return %v11 : !stream.resource<transient> loc("op7")
  }
}
