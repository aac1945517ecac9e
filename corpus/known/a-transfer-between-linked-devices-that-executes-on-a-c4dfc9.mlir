// RUN: iree-opt '--pass-pipeline=builtin.module(func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize),iree-util-verify-initialization-order,iree-stream-verify-input,func.func(canonicalize,cse),util.initializer(canonicalize,cse),util.func(canonicalize,cse),iree-stream-clone-to-consumers,iree-stream-conversion,iree-stream-verify-lowering-to-tensors,inline,func.func(canonicalize,cse),util.initializer(canonicalize,cse),util.func(canonicalize,cse),iree-util-combine-initializers,func.func(canonicalize,cse),util.initializer(canonicalize,cse),util.func(canonicalize,cse),func.func(canonicalize,cse),util.initializer(canonicalize,cse),util.func(canonicalize,cse),iree-stream-specialize-encodings,func.func(iree-stream-encode-host-tensors),util.initializer(iree-stream-encode-host-tensors),util.func(iree-stream-encode-host-tensors),stream.executable(iree-stream-encode-device-tensors),iree-stream-materialize-encodings,func.func(iree-stream-layout-slices),util.initializer(iree-stream-layout-slices),util.func(iree-stream-layout-slices),func.func(canonicalize,cse),util.initializer(canonicalize,cse),util.func(canonicalize,cse),iree-stream-verify-lowering-to-async-resources,func.func(iree-stream-materialize-copy-on-write,canonicalize),util.initializer(iree-stream-materialize-copy-on-write,canonicalize),util.func(iree-stream-materialize-copy-on-write,canonicalize),iree-stream-elide-async-copies,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize),func.func(iree-stream-emplace-allocations),util.initializer(iree-stream-emplace-allocations),util.func(iree-stream-emplace-allocations),iree-stream-refine-usage,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize),iree-stream-elide-async-copies,func.func(canonicalize,cse),util.initializer(canonicalize,cse),util.func(canonicalize,cse),iree-stream-verify-async-access-ranges,iree-stream-place-transfer-executions)' --mlir-print-debuginfo %s > before.mlir
// RUN: iree-opt '--pass-pipeline=builtin.module(func.func(iree-stream-schedule-execution),util.initializer(iree-stream-schedule-execution),util.func(iree-stream-schedule-execution))' --mlir-print-debuginfo before.mlir
// REQUIRES: iree-3.12 || iree-3.13
// id: a-transfer-between-linked-devices-that-executes-on-a-c4dfc9
// title: A transfer between linked devices that executes on a third one is elided
// signature: execution/elide-async-copies-again/lost/stream.async.transfer/to-device
// check: execution
// verdict: broken-contract
// guilty-pass: elide-async-copies-again
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: what says on(D) is in an execution region on D, or is gone because nobody needs it, another op does the same, or it was a hop that is not made
// actual: op2 (stream.async.transfer) says on(#hal.device.affinity<@dev_d>) and is gone, though it is needed and nothing else does its work there
// issue: unreported

module attributes {stream.topology = #hal.device.topology<links = [(@dev_a -> @dev_b = {transparent_access = true}), (@dev_a -> @dev_c = {unified_memory = true}), (@dev_c -> @dev_a = {unified_memory = true}), (@dev_a -> @dev_d = {unified_memory = true}), (@dev_d -> @dev_a = {unified_memory = true}), (@dev_b -> @dev_c = {transparent_access = true}), (@dev_d -> @dev_b = {transparent_access = true})]>} {
  util.func public @main(%v0: !stream.resource<transient>) -> (!hal.buffer_view) {
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %c20 = arith.constant 20 : index
    %c28 = arith.constant 28 : index
    %c32 = arith.constant 32 : index
    %v7 = stream.async.transfer on(#hal.device.affinity<@dev_d>) %v0 : !stream.resource<transient>{%c32} from(#hal.device.affinity<@dev_c>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<*>{%c32} loc("op2")
    %v8 = stream.async.dispatch @ex::@a_r_n(%v7[%c16 to %c28 for %c12]) : (!stream.resource<*>{%c32}) -> !stream.resource<transient>{%c32} loc("op4")
    %v9 = stream.async.dispatch @ex::@b_rrr_n(%v8[%c8 to %c28 for %c20]) : (!stream.resource<transient>{%c32}) -> !stream.resource<external>{%c32} loc("op24")
    %v10 = stream.tensor.export %v9 : tensor<8xi32> in !stream.resource<external>{%c32} -> !hal.buffer_view loc("op29")
    util.return %v10 : !hal.buffer_view loc("op30")
  }
}
