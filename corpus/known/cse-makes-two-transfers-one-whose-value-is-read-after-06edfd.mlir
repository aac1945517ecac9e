// RUN: iree-opt '--pass-pipeline=builtin.module(iree-util-verify-initialization-order,iree-stream-verify-input,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-clone-to-consumers,iree-stream-conversion,iree-stream-verify-lowering-to-tensors,inline,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-util-combine-initializers,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-specialize-encodings,func.func(iree-stream-encode-host-tensors),util.initializer(iree-stream-encode-host-tensors),util.func(iree-stream-encode-host-tensors),stream.executable(iree-stream-encode-device-tensors),iree-stream-materialize-encodings,func.func(iree-stream-layout-slices),util.initializer(iree-stream-layout-slices),util.func(iree-stream-layout-slices),func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-verify-lowering-to-async-resources,func.func(iree-stream-materialize-copy-on-write,canonicalize),util.initializer(iree-stream-materialize-copy-on-write,canonicalize),util.func(iree-stream-materialize-copy-on-write,canonicalize),iree-stream-elide-async-copies,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize),func.func(iree-stream-emplace-allocations),util.initializer(iree-stream-emplace-allocations),util.func(iree-stream-emplace-allocations),iree-stream-refine-usage,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize),iree-stream-elide-async-copies,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo)' --mlir-print-debuginfo %s
// id: cse-makes-two-transfers-one-whose-value-is-read-after-06edfd
// title: CSE makes two transfers one whose value is read after it is written in place
// signature: value/cse/written-over/without-transfer/directly/device
// check: value
// verdict: wrong-value
// guilty-pass: cse
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 64: binding 1 of @ex::a_w_t([from byte 20 of argument 0 of @main for 4; from byte 48 of argument 1 of @main for 16; from
// actual: byte 0 of result 0 of @main: bytes 0 to 64: binding 1 of @ex::a_w_t([from byte 20 of argument 0 of @main for 4; 01 00 01 00 01 00 01 00 01 00 01 00 for 12; from
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>, %v1: !stream.resource<transient>) -> (!hal.buffer_view, !stream.resource<transient>) {
    %c1_i16 = arith.constant 1 : i16
    %c16 = arith.constant 16 : index
    %c20 = arith.constant 20 : index
    %c24 = arith.constant 24 : index
    %c40 = arith.constant 40 : index
    %c44 = arith.constant 44 : index
    %c48 = arith.constant 48 : index
    %c60 = arith.constant 60 : index
    %c64 = arith.constant 64 : index
    %v12 = stream.async.transfer %v1 : !stream.resource<transient>{%c64} -> to(#hal.device.affinity<@dev_a>) !stream.resource<*>{%c64} loc("op5")
    %v13 = stream.async.transfer %v12 : !stream.resource<*>{%c64} -> !stream.resource<transient>{%c64} loc("op6")
    %v14 = stream.async.transfer %v13 : !stream.resource<transient>{%c64} -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c64} loc("op7")
    %v15 = stream.async.fill %c1_i16, %v12[%c44 to %c60 for %c16] : i16 -> %v12 as !stream.resource<*>{%c64} loc("op13")
    %v16 = stream.async.copy %v14[%c48 to %c64], %v0[%c24 to %c40], %c16 : !stream.resource<transient>{%c64} -> %v0 as !stream.resource<transient>{%c64} loc("op15")
    %v17 = stream.async.transfer %v15 : !stream.resource<*>{%c64} -> !stream.resource<transient>{%c64} loc("op18")
    %v18 = stream.async.dispatch @ex::@a_w_t(%v16[%c20 to %c44 for %c24]) : (!stream.resource<transient>{%c64}) -> !stream.resource<external>{%c64} loc("op21")
    %v19 = stream.tensor.export %v18 : tensor<?xi8>{%c64} in !stream.resource<external>{%c64} -> !hal.buffer_view loc("op22")
    util.return %v19, %v17 : !hal.buffer_view, !stream.resource<transient> loc("op23")
  }
}
