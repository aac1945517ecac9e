// RUN: iree-opt '--pass-pipeline=builtin.module(iree-util-verify-initialization-order,iree-stream-verify-input,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-clone-to-consumers,iree-stream-conversion,iree-stream-verify-lowering-to-tensors,inline,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-util-combine-initializers,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-specialize-encodings,func.func(iree-stream-encode-host-tensors),util.initializer(iree-stream-encode-host-tensors),util.func(iree-stream-encode-host-tensors),stream.executable(iree-stream-encode-device-tensors),iree-stream-materialize-encodings,func.func(iree-stream-layout-slices),util.initializer(iree-stream-layout-slices),util.func(iree-stream-layout-slices),func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-verify-lowering-to-async-resources,func.func(iree-stream-materialize-copy-on-write,canonicalize),util.initializer(iree-stream-materialize-copy-on-write,canonicalize),util.func(iree-stream-materialize-copy-on-write,canonicalize),iree-stream-elide-async-copies,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize),func.func(iree-stream-emplace-allocations),util.initializer(iree-stream-emplace-allocations),util.func(iree-stream-emplace-allocations),iree-stream-refine-usage,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize),iree-stream-elide-async-copies,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-verify-async-access-ranges,iree-stream-place-transfer-executions,func.func(iree-stream-schedule-execution),util.initializer(iree-stream-schedule-execution),util.func(iree-stream-schedule-execution),func.func(iree-stream-schedule-concurrency),util.initializer(iree-stream-schedule-concurrency),util.func(iree-stream-schedule-concurrency))' --mlir-print-debuginfo %s
// id: a-write-in-place-joins-a-wave-before-the-read-of-the-a5072d
// title: A write in place joins a wave before the read of the old value
// signature: value/schedule-concurrency/written-over/reordered/copy/same-device
// check: value
// verdict: wrong-value
// guilty-pass: schedule-concurrency
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 13 of result 0 of @main: bytes 0 to 16: argument 1 of @main
// actual: byte 13 of result 0 of @main: bytes 13 to 15: ff ff
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<external>, %v1: !stream.resource<transient>, %v2: !stream.resource<transient>) -> (!hal.buffer_view, !hal.buffer_view, !stream.resource<transient>) {
    %cn1_i8 = arith.constant -1 : i8
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c13 = arith.constant 13 : index
    %c15 = arith.constant 15 : index
    %c16 = arith.constant 16 : index
    %v10 = stream.async.copy %v1[%c0 to %c16], %v0[%c0 to %c16], %c16 : !stream.resource<transient>{%c16} -> %v0 as !stream.resource<external>{%c16} loc("op3")
    %v11 = stream.async.alloca : !stream.resource<transient>{%c16} loc("op5")
    %v12 = stream.async.transfer %v11 : !stream.resource<transient>{%c16} -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c16} loc("op6")
    %v13 = stream.async.copy %v2[%c0 to %c8], %v12[%c8 to %c16], %c8 : !stream.resource<transient>{%c16} -> %v12 as !stream.resource<external>{%c16} loc("op8")
    %v14 = stream.async.transfer %v13 : !stream.resource<external>{%c16} -> !stream.resource<transient>{%c16} loc("op9")
    %v15 = stream.async.dispatch @ex::@b_rr_n(%v14[%c0 to %c8 for %c8]) : (!stream.resource<transient>{%c16}) -> !stream.resource<external>{%c16} loc("op10")
    %v16 = stream.async.clone on(#hal.device.affinity<@dev_b>) %v10 : !stream.resource<external>{%c16} -> !stream.resource<external>{%c16} loc("op11")
    %v17 = stream.tensor.export %v16 : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op12")
    %v18 = stream.async.transfer %v11 : !stream.resource<transient>{%c16} -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c16} loc("op13")
    %v19 = stream.async.fill on(#hal.device.affinity<@dev_b>) %cn1_i8, %v16[%c13 to %c15 for %c2] : i8 -> %v16 as !stream.resource<external>{%c16} loc("op14")
    %v20 = stream.async.transfer %v19 : !stream.resource<external>{%c16} -> !stream.resource<transient>{%c16} loc("op16")
    %v21 = stream.tensor.export %v15 : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op22")
    %v22 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@a_rrr_n(%v18[%c0 to %c16 for %c16], %v20[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}, !stream.resource<transient>{%c16}) -> !stream.resource<transient>{%c16} loc("op26")
    util.return %v17, %v21, %v22 : !hal.buffer_view, !hal.buffer_view, !stream.resource<transient> loc("op31")
  }
}
