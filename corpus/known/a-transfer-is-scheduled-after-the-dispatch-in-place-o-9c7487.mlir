// RUN: iree-opt '--pass-pipeline=builtin.module(iree-util-verify-initialization-order,iree-stream-verify-input,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-clone-to-consumers,iree-stream-conversion,iree-stream-verify-lowering-to-tensors,inline,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-util-combine-initializers,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-specialize-encodings,func.func(iree-stream-encode-host-tensors),util.initializer(iree-stream-encode-host-tensors),util.func(iree-stream-encode-host-tensors),stream.executable(iree-stream-encode-device-tensors),iree-stream-materialize-encodings,func.func(iree-stream-layout-slices),util.initializer(iree-stream-layout-slices),util.func(iree-stream-layout-slices),func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-verify-lowering-to-async-resources,func.func(iree-stream-materialize-copy-on-write,canonicalize),util.initializer(iree-stream-materialize-copy-on-write,canonicalize),util.func(iree-stream-materialize-copy-on-write,canonicalize),iree-stream-elide-async-copies,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize),func.func(iree-stream-emplace-allocations),util.initializer(iree-stream-emplace-allocations),util.func(iree-stream-emplace-allocations),iree-stream-refine-usage,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize),iree-stream-elide-async-copies,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-verify-async-access-ranges,iree-stream-place-transfer-executions,func.func(iree-stream-schedule-execution),util.initializer(iree-stream-schedule-execution),util.func(iree-stream-schedule-execution))' --mlir-print-debuginfo %s
// REQUIRES: iree-3.12 || iree-3.13
// id: a-transfer-is-scheduled-after-the-dispatch-in-place-o-9c7487
// title: A transfer is scheduled after the dispatch in place on its source
// signature: value/schedule-execution/written-over/reordered/copy/same-device
// check: value
// verdict: wrong-value
// guilty-pass: schedule-execution
// affects: 3.11.0 not, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 16: binding 1 of @ex::b_rrrf64_n([from byte 28 of binding 2 of @ex::a_wr_t([argument 1 of @main for 4; from byte 12 of a
// actual: byte 0 of result 0 of @main: bytes 0 to 16: binding 1 of @ex::b_rrrf64_n([from byte 28 of binding 2 of @ex::a_wr_t([argument 1 of @main for 4; from byte 12 of a
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>, %v1: !stream.resource<external>) -> (!hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %c20 = arith.constant 20 : index
    %c24 = arith.constant 24 : index
    %c28 = arith.constant 28 : index
    %c32 = arith.constant 32 : index
    %v10 = stream.async.copy on(#hal.device.affinity<@dev_c>) %v0[%c12 to %c32], %v1[%c4 to %c24], %c20 : !stream.resource<transient>{%c32} -> %v1 as !stream.resource<external>{%c32} loc("op3")
    %v11 = stream.async.transfer %v10 : !stream.resource<external>{%c32} from(#hal.device.affinity<@dev_c>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c32} loc("op5")
    %v12 = stream.async.dispatch @ex::@b_w_t(%v10[%c28 to %c32 for %c4]) : (!stream.resource<external>{%c32}) -> %v10{%c32} loc("op6")
    %v13 = stream.async.transfer %v12 : !stream.resource<external>{%c32} -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c32} loc("op13")
    %v14 = stream.async.dispatch @ex::@a_wr_t(%v11[%c0 to %c32 for %c32], %v13[%c0 to %c32 for %c32]) : (!stream.resource<transient>{%c32}, !stream.resource<transient>{%c32}) -> !stream.resource<transient>{%c32} loc("op14")
    %v15 = stream.async.dispatch @ex::@b_rrrf64_n(%v14[%c28 to %c32 for %c4]) : (!stream.resource<transient>{%c32}) -> !stream.resource<external>{%c16} loc("op19")
    %v16 = stream.tensor.export %v15 : tensor<?xi8>{%c16} in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op21")
    util.return %v16 : !hal.buffer_view loc("op22")
  }
}
