// RUN: iree-opt '--pass-pipeline=builtin.module(iree-util-verify-initialization-order,iree-stream-verify-input,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-clone-to-consumers,iree-stream-conversion,iree-stream-verify-lowering-to-tensors,inline,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-util-combine-initializers,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-specialize-encodings,func.func(iree-stream-encode-host-tensors),util.initializer(iree-stream-encode-host-tensors),util.func(iree-stream-encode-host-tensors),stream.executable(iree-stream-encode-device-tensors),iree-stream-materialize-encodings,func.func(iree-stream-layout-slices),util.initializer(iree-stream-layout-slices),util.func(iree-stream-layout-slices),func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-verify-lowering-to-async-resources,func.func(iree-stream-materialize-copy-on-write,canonicalize),util.initializer(iree-stream-materialize-copy-on-write,canonicalize),util.func(iree-stream-materialize-copy-on-write,canonicalize),iree-stream-elide-async-copies,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize),func.func(iree-stream-emplace-allocations),util.initializer(iree-stream-emplace-allocations),util.func(iree-stream-emplace-allocations),iree-stream-refine-usage,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize),iree-stream-elide-async-copies,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-verify-async-access-ranges,iree-stream-place-transfer-executions,func.func(iree-stream-schedule-execution),util.initializer(iree-stream-schedule-execution),util.func(iree-stream-schedule-execution),func.func(iree-stream-schedule-concurrency),util.initializer(iree-stream-schedule-concurrency),util.func(iree-stream-schedule-concurrency),iree-stream-sync-initializers,iree-stream-propagate-timepoints,iree-stream-materialize-builtins,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-verify-lowering-to-async)' --mlir-print-debuginfo %s
// id: canonicalization-lets-a-region-read-what-another-writ-f68046
// title: Canonicalization lets a region read what another writes in place, in no order
// signature: value/canonicalize/race/copy/in-place/between-regions/same-device
// check: value
// verdict: broken-contract
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered
// actual: op1~3: %v13 = stream.async.dispatch @ex::@b_windex_t(%v12[%c0 to %c128 for %c128]) : (!stream.resource<variable>{%c128}) -> %v12 as !stream.resource<external>{%
// issue: unreported

module {
  util.global public mutable @g0 : !stream.resource<variable>
  util.func public @main(%v0: i1, %v1: !stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c128 = arith.constant 128 : index
    %v6 = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@b_windex_t(%v1[%c0 to %c128 for %c128]) : (!stream.resource<transient>{%c128}) -> %v1 as !stream.resource<external>{%c128} loc("op1")
    %v7 = scf.for %v8 = %c0 to %c16 step %c1 iter_args(%v9 = %v6) -> (!stream.resource<external>) {
      util.call @f0(%v9, %v0) : (!stream.resource<external>, i1) -> () loc("op16")
      %v10 = stream.async.alloca : !stream.resource<external>{%c128} loc("op21")
      scf.yield %v10 : !stream.resource<external> loc("op22")
    } loc("op2")
    util.return loc("op26")
  }
  util.func public @f0(%v11: !stream.resource<external>, %v12: i1) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c44 = arith.constant 44 : index
    %c48 = arith.constant 48 : index
    %c92 = arith.constant 92 : index
    %c128 = arith.constant 128 : index
    scf.if %v12 {
      %v19 = stream.async.slice on(#hal.device.affinity<@dev_b>) %v11[%c44 to %c92] : !stream.resource<external>{%c128} -> !stream.resource<external>{%c48} loc("op9")
      %v20 = stream.async.transfer %v19 : !stream.resource<external>{%c48} -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c48} loc("op10")
      %v21 = stream.async.slice %v20[%c0 to %c16] : !stream.resource<transient>{%c48} -> !stream.resource<transient>{%c16} loc("op11")
      %v22 = stream.async.transfer %v21 : !stream.resource<transient>{%c16} -> !stream.resource<variable>{%c16} loc("op12")
      util.global.store %v22, @g0 : !stream.resource<variable> loc("op13")
      scf.yield loc("op14")
    } loc("op8")
    util.return loc("op15")
  }
}
