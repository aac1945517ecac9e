// RUN: iree-opt '--pass-pipeline=builtin.module(iree-util-verify-initialization-order,iree-stream-verify-input,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-clone-to-consumers,iree-stream-conversion,iree-stream-verify-lowering-to-tensors,inline,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-util-combine-initializers,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-specialize-encodings,func.func(iree-stream-encode-host-tensors),util.initializer(iree-stream-encode-host-tensors),util.func(iree-stream-encode-host-tensors),stream.executable(iree-stream-encode-device-tensors),iree-stream-materialize-encodings,func.func(iree-stream-layout-slices),util.initializer(iree-stream-layout-slices),util.func(iree-stream-layout-slices),func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-verify-lowering-to-async-resources,func.func(iree-stream-materialize-copy-on-write,canonicalize),util.initializer(iree-stream-materialize-copy-on-write,canonicalize),util.func(iree-stream-materialize-copy-on-write,canonicalize),iree-stream-elide-async-copies,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize))' --mlir-print-debuginfo %s
// REQUIRES: iree-3.12 || iree-3.13
// id: eliding-a-copy-lets-a-write-in-place-come-before-a-re-89d96a
// title: Eliding a copy lets a write in place come before a read of the old value
// signature: value/elide-async-copies/written-over/reordered/copy/unplaced
// check: value
// verdict: wrong-value
// guilty-pass: elide-async-copies
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 1 of @main: bytes 0 to 32: argument 0 of @main
// actual: byte 0 of result 1 of @main: bytes 0 to 32: binding 0 of @ex::b_windex_t([argument 0 of @main for 32])
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>, %v1: !stream.resource<external>, %v2: !stream.resource<external>) -> (!hal.buffer_view, !hal.buffer_view, !stream.resource<external>, i32) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c28 = arith.constant 28 : index
    %c32 = arith.constant 32 : index
    %v8 = stream.async.barrier %v2 : !stream.resource<external>{%c32} loc("op6")
    %v9 = stream.async.dispatch @ex::@b_wi64index_t(%v8[%c0 to %c32 for %c32]) : (!stream.resource<external>{%c32}) -> %v8 as !stream.resource<transient>{%c32} loc("op7")
    %v10 = stream.async.cast %v9 : !stream.resource<transient>{%c32} -> !stream.resource<external>{%c32} loc("op8")
    %v11 = stream.tensor.export %v10 : tensor<8xi32> in !stream.resource<external>{%c32} -> !hal.buffer_view loc("op9")
    %v12 = stream.async.transfer %v0 : !stream.resource<transient>{%c32} -> to(#hal.device.affinity<@dev_c>) !stream.resource<external>{%c32} loc("op11")
    %v13 = stream.tensor.export %v12 : tensor<8xi32> in !stream.resource<external>{%c32} -> !hal.buffer_view loc("op12")
    %v14 = stream.async.dispatch @ex::@b_windex_t(%v12[%c0 to %c32 for %c32]) : (!stream.resource<external>{%c32}) -> %v12 as !stream.resource<transient>{%c32} loc("op15")
    %v15 = stream.async.transfer %v14 : !stream.resource<transient>{%c32} -> !stream.resource<staging>{%c32} loc("op18")
    %v16 = stream.async.load %v15[%c16] : !stream.resource<staging>{%c32} -> i32 loc("op20")
    %v17 = stream.async.copy %v2[%c28 to %c32], %v1[%c0 to %c4], %c4 : !stream.resource<external>{%c32} -> %v1 as !stream.resource<external>{%c32} loc("op23")
    util.return %v11, %v13, %v17, %v16 : !hal.buffer_view, !hal.buffer_view, !stream.resource<external>, i32 loc("op33")
  }
}
