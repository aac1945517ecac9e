// RUN: iree-opt '--pass-pipeline=builtin.module(iree-util-verify-initialization-order,iree-stream-verify-input,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-clone-to-consumers,iree-stream-conversion,iree-stream-verify-lowering-to-tensors,inline,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-util-combine-initializers,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-specialize-encodings,func.func(iree-stream-encode-host-tensors),util.initializer(iree-stream-encode-host-tensors),util.func(iree-stream-encode-host-tensors),stream.executable(iree-stream-encode-device-tensors),iree-stream-materialize-encodings,func.func(iree-stream-layout-slices),util.initializer(iree-stream-layout-slices),util.func(iree-stream-layout-slices),func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-verify-lowering-to-async-resources,func.func(iree-stream-materialize-copy-on-write,canonicalize),util.initializer(iree-stream-materialize-copy-on-write,canonicalize),util.func(iree-stream-materialize-copy-on-write,canonicalize),iree-stream-elide-async-copies,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize))' --mlir-print-debuginfo %s
// REQUIRES: iree-3.12 || iree-3.13
// id: a-clone-is-elided-though-its-source-is-exported-and-l-aa6c9a
// title: A clone is elided though its source is exported and lies behind a barrier and a cast
// signature: value/elide-async-copies/written-over/without-clone/barrier+cast
// check: value
// verdict: wrong-value
// guilty-pass: elide-async-copies
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 128: argument 0 of @main
// actual: byte 0 of result 0 of @main: bytes 0 to 128: binding 0 of @ex::a_w_t([argument 0 of @main for 82; 7f 00 7f 00 for 4; from byte 86 of argument 0 of @main for 42]
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>) -> (!hal.buffer_view, !hal.buffer_view) {
    %c127_i16 = arith.constant 127 : i16
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c82 = arith.constant 82 : index
    %c86 = arith.constant 86 : index
    %c128 = arith.constant 128 : index
    %v7 = stream.async.transfer %v0 : !stream.resource<transient>{%c128} -> to(#hal.device.affinity<@dev_b>) !stream.resource<external>{%c128} loc("op1")
    %v8 = stream.tensor.export %v7 : tensor<32xi32> in !stream.resource<external>{%c128} -> !hal.buffer_view loc("op2")
    %v9 = stream.async.fill %c127_i16, %v7[%c82 to %c86 for %c4] : i16 -> %v7 as !stream.resource<external>{%c128} loc("op3")
    %v10 = stream.async.cast %v9 : !stream.resource<external>{%c128} -> !stream.resource<transient>{%c128} loc("op14")
    %v11 = stream.async.barrier %v10 : !stream.resource<transient>{%c128} loc("op16")
    %v12 = stream.async.dispatch @ex::@a_w_t(%v11[%c0 to %c128 for %c128]) : (!stream.resource<transient>{%c128}) -> %v11 as !stream.resource<external>{%c128} loc("op20")
    %v13 = stream.tensor.export %v12 : tensor<32xi32> in !stream.resource<external>{%c128} -> !hal.buffer_view loc("op21")
    util.return %v8, %v13 : !hal.buffer_view, !hal.buffer_view loc("op23")
  }
}
