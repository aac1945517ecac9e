// RUN: iree-opt '--pass-pipeline=builtin.module(iree-util-verify-initialization-order,iree-stream-verify-input,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-clone-to-consumers,iree-stream-conversion,iree-stream-verify-lowering-to-tensors,inline,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-util-combine-initializers,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-specialize-encodings,func.func(iree-stream-encode-host-tensors),util.initializer(iree-stream-encode-host-tensors),util.func(iree-stream-encode-host-tensors),stream.executable(iree-stream-encode-device-tensors),iree-stream-materialize-encodings,func.func(iree-stream-layout-slices),util.initializer(iree-stream-layout-slices),util.func(iree-stream-layout-slices),func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-verify-lowering-to-async-resources,func.func(iree-stream-materialize-copy-on-write,canonicalize),util.initializer(iree-stream-materialize-copy-on-write,canonicalize),util.func(iree-stream-materialize-copy-on-write,canonicalize),iree-stream-elide-async-copies,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize))' --mlir-print-debuginfo %s
// id: a-clone-of-a-dispatch-s-result-is-elided-though-it-li-ef6d25
// title: A clone of a dispatch's result is elided though it lives on behind a barrier
// signature: value/elide-async-copies/written-over/without-dispatch/barrier
// check: value
// verdict: wrong-value
// guilty-pass: elide-async-copies
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 56: binding 1 of @ex::a_ri64f64_n([from byte 4 of argument 0 of @main for 24], 64 bytes to write)
// actual: byte 0 of result 0 of @main: bytes 0 to 64: binding 0 of @ex::b_w_t([binding 1 of @ex::a_ri64f64_n([from byte 4 of argument 0 of @main for 24], 64 bytes to writ
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>) -> (!hal.buffer_view, !hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c24 = arith.constant 24 : index
    %c28 = arith.constant 28 : index
    %c56 = arith.constant 56 : index
    %c64 = arith.constant 64 : index
    %v8 = stream.async.dispatch @ex::@a_ri64f64_n(%v0[%c4 to %c28 for %c24]) : (!stream.resource<transient>{%c64}) -> !stream.resource<transient>{%c64} loc("op1")
    %v9 = stream.async.barrier %v8 : !stream.resource<transient>{%c64} loc("op5")
    %v10 = stream.async.dispatch @ex::@b_w_t(%v9[%c56 to %c64 for %c8]) : (!stream.resource<transient>{%c64}) -> %v9 as !stream.resource<external>{%c64} loc("op7")
    %v11 = stream.tensor.export %v10 : tensor<16xi32> in !stream.resource<external>{%c64} -> !hal.buffer_view loc("op8")
    %v12 = stream.async.dispatch @ex::@b_w_t(%v8[%c0 to %c64 for %c64]) : (!stream.resource<transient>{%c64}) -> %v8{%c64} loc("op17")
    %v13 = stream.async.dispatch @ex::@b_w_t(%v12[%c0 to %c64 for %c64]) : (!stream.resource<transient>{%c64}) -> !stream.resource<external>{%c64} loc("op21")
    %v14 = stream.tensor.export %v13 : tensor<16xi32> in !stream.resource<external>{%c64} -> !hal.buffer_view loc("op22")
    util.return %v11, %v14 : !hal.buffer_view, !hal.buffer_view loc("op35")
  }
}
