// RUN: iree-opt '--pass-pipeline=builtin.module(iree-util-verify-initialization-order,iree-stream-verify-input,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-clone-to-consumers,iree-stream-conversion,iree-stream-verify-lowering-to-tensors,inline,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-util-combine-initializers,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-specialize-encodings,func.func(iree-stream-encode-host-tensors),util.initializer(iree-stream-encode-host-tensors),util.func(iree-stream-encode-host-tensors),stream.executable(iree-stream-encode-device-tensors),iree-stream-materialize-encodings,func.func(iree-stream-layout-slices),util.initializer(iree-stream-layout-slices),util.func(iree-stream-layout-slices),func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-verify-lowering-to-async-resources,func.func(iree-stream-materialize-copy-on-write,canonicalize),util.initializer(iree-stream-materialize-copy-on-write,canonicalize),util.func(iree-stream-materialize-copy-on-write,canonicalize),iree-stream-elide-async-copies,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize))' --mlir-print-debuginfo %s
// id: copy-elision-lets-a-copy-in-place-come-before-the-dis-054820
// title: Copy elision lets a copy in place come before the dispatch whose result was exported
// signature: value/elide-async-copies/written-over/reordered/dispatch/same-device
// check: value
// verdict: wrong-value
// guilty-pass: elide-async-copies
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 128: binding 1 of @ex::a_w_t([from byte 84 of argument 0 of @main for 28], 128 bytes to write)
// actual: byte 0 of result 0 of @main: bytes 0 to 128: argument 0 of @main
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>, %v1: !stream.resource<external>) -> (!hal.buffer_view, !hal.buffer_view, !stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %c20 = arith.constant 20 : index
    %c24 = arith.constant 24 : index
    %c28 = arith.constant 28 : index
    %c32 = arith.constant 32 : index
    %c84 = arith.constant 84 : index
    %c112 = arith.constant 112 : index
    %c128 = arith.constant 128 : index
    %v13 = stream.async.dispatch @ex::@a_w_t(%v0[%c84 to %c112 for %c28]) : (!stream.resource<transient>{%c128}) -> !stream.resource<external>{%c128} loc("op7")
    %v14 = stream.tensor.export %v13 : tensor<32xi32> in !stream.resource<external>{%c128} -> !hal.buffer_view loc("op8")
    %v15 = stream.async.copy %v0[%c0 to %c128], %v13[%c0 to %c128], %c128 : !stream.resource<transient>{%c128} -> %v13 as !stream.resource<external>{%c128} loc("op9")
    %v16 = stream.async.barrier %v1 : !stream.resource<external>{%c32} loc("op11")
    %v17 = stream.async.dispatch on(#hal.device.affinity<@dev_d>) @ex::@a_w_t(%v16[%c4 to %c24 for %c20]) : (!stream.resource<external>{%c32}) -> %v16{%c32} loc("op12")
    %v18 = stream.async.dispatch on(#hal.device.affinity<@dev_d>) @ex::@a_rrf64i64_n(%v1[%c12 to %c16 for %c4]) : (!stream.resource<external>{%c32}) -> !stream.resource<transient>{%c32} loc("op17")
    %v19 = stream.async.copy %v18[%c0 to %c32], %v17[%c0 to %c32], %c32 : !stream.resource<transient>{%c32} -> %v17 as !stream.resource<external>{%c32} loc("op18")
    %v20 = stream.tensor.export %v15 : tensor<32xi32> in !stream.resource<external>{%c128} -> !hal.buffer_view loc("op27")
    util.return %v14, %v20, %v19 : !hal.buffer_view, !hal.buffer_view, !stream.resource<external> loc("op32")
  }
}
