// RUN: iree-opt '--pass-pipeline=builtin.module(iree-util-verify-initialization-order,iree-stream-verify-input,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-clone-to-consumers,iree-stream-conversion,iree-stream-verify-lowering-to-tensors,inline,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-util-combine-initializers,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-specialize-encodings,func.func(iree-stream-encode-host-tensors),util.initializer(iree-stream-encode-host-tensors),util.func(iree-stream-encode-host-tensors),stream.executable(iree-stream-encode-device-tensors),iree-stream-materialize-encodings,func.func(iree-stream-layout-slices),util.initializer(iree-stream-layout-slices),util.func(iree-stream-layout-slices),func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-verify-lowering-to-async-resources,func.func(iree-stream-materialize-copy-on-write,canonicalize),util.initializer(iree-stream-materialize-copy-on-write,canonicalize),util.func(iree-stream-materialize-copy-on-write,canonicalize),iree-stream-elide-async-copies,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize))' --mlir-print-debuginfo %s
// id: canonicalization-makes-one-of-two-transfers-between-which-a-value-is-written
// title: Canonicalization makes one of two transfers, which reads what is written in place between them
// signature: value/canonicalize/written-over/without-clone/directly
// check: value
// verdict: wrong-value
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 16: binding 2 of @ex::b_rr_n([from byte 4 of argument 0 of @main for 12], [argument 0 of @main for 6; 01 01 01 01 01 for
// actual: byte 0 of result 0 of @main: bytes 0 to 16: binding 2 of @ex::b_rr_n([from byte 4 of argument 0 of @main for 2; 01 01 01 01 01 for 5; from byte 11 of argument 0
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c16 = arith.constant 16 : index
    %v2 = stream.async.transfer %v0 : !stream.resource<transient>{%c16} -> !stream.resource<transient>{%c16} loc("op5")
    %v3 = util.call @f0(%v2) : (!stream.resource<transient>) -> !stream.resource<transient> loc("op21")
    util.return %v3 : !stream.resource<transient> loc("op26")
  }
  util.func private @f0(%v4: !stream.resource<transient>) -> (!stream.resource<transient>) attributes {inlining_policy = #util.inline.never} {
    %c1_i8 = arith.constant 1 : i8
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c11 = arith.constant 11 : index
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %v13 = stream.async.transfer %v4 : !stream.resource<transient>{%c16} -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c16} loc("op12")
    %v14 = stream.async.fill %c1_i8, %v4[%c6 to %c11 for %c5] : i8 -> %v4 as !stream.resource<transient>{%c16} loc("op13")
    %v15 = stream.async.clone %v13 : !stream.resource<transient>{%c16} -> !stream.resource<transient>{%c16} loc("op15")
    %v16 = stream.async.transfer %v15 : !stream.resource<transient>{%c16} -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c16} loc("op18")
    %v17 = stream.async.dispatch @ex::@b_rr_n(%v16[%c4 to %c16 for %c12], %v14[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}, !stream.resource<transient>{%c16}) -> !stream.resource<transient>{%c16} loc("op19")
    util.return %v17 : !stream.resource<transient> loc("op20")
  }
}
