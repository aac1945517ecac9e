// RUN: iree-opt '--pass-pipeline=builtin.module(iree-util-verify-initialization-order,iree-stream-verify-input,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-clone-to-consumers,iree-stream-conversion,iree-stream-verify-lowering-to-tensors,inline,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-util-combine-initializers,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-specialize-encodings,func.func(iree-stream-encode-host-tensors),util.initializer(iree-stream-encode-host-tensors),util.func(iree-stream-encode-host-tensors),stream.executable(iree-stream-encode-device-tensors),iree-stream-materialize-encodings,func.func(iree-stream-layout-slices),util.initializer(iree-stream-layout-slices),util.func(iree-stream-layout-slices),func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-verify-lowering-to-async-resources,func.func(iree-stream-materialize-copy-on-write,canonicalize),util.initializer(iree-stream-materialize-copy-on-write,canonicalize),util.func(iree-stream-materialize-copy-on-write,canonicalize),iree-stream-elide-async-copies,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize))' --mlir-print-debuginfo %s
// REQUIRES: iree-3.12 || iree-3.13
// id: a-clone-of-a-constant-behind-a-cast-is-elided-and-the-fa96b8
// title: A clone of a constant behind a cast is elided and the constant is written in place
// signature: value/elide-async-copies/written-over/without-constant/cast
// check: value
// verdict: wrong-value
// guilty-pass: elide-async-copies
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 8: binding 0 of @ex::b_wf64_t([03 00 00 00 04 00 00 00 for 8])
// actual: byte 0 of result 0 of @main: bytes 0 to 4: argument 0 of @main
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>) -> (!hal.buffer_view, !stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %v5 = stream.async.constant : !stream.resource<external>{%c8} = dense<[3, 4]> : tensor<2xi32> loc("op5")
    %v6 = stream.async.cast %v5 : !stream.resource<external>{%c8} -> !stream.resource<transient>{%c8} loc("op6")
    %v7 = stream.async.cast %v6 : !stream.resource<transient>{%c8} -> !stream.resource<external>{%c8} loc("op7")
    %v8 = stream.async.dispatch @ex::@b_wf64_t(%v7[%c0 to %c8 for %c8]) : (!stream.resource<external>{%c8}) -> %v7{%c8} loc("op9")
    %v9 = stream.tensor.export %v8 : tensor<2xi32> in !stream.resource<external>{%c8} -> !hal.buffer_view loc("op10")
    %v10 = stream.async.update %v0, %v6[%c0 to %c8] : !stream.resource<transient>{%c8} -> %v6 as !stream.resource<transient>{%c8} loc("op12")
    %v11, %v12 = stream.async.dispatch @ex::@b_wrr_tn(%v8[%c4 to %c8 for %c4], %v10[%c4 to %c8 for %c4]) : (!stream.resource<external>{%c8}, !stream.resource<transient>{%c8}) -> (%v8 as !stream.resource<transient>{%c8}, !stream.resource<transient>{%c16}) loc("op14")
    util.return %v9, %v12 : !hal.buffer_view, !stream.resource<transient> loc("op31")
  }
}
