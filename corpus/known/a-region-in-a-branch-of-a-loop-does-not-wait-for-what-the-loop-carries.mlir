// RUN: iree-opt '--pass-pipeline=builtin.module(iree-util-verify-initialization-order,iree-stream-verify-input,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-clone-to-consumers,iree-stream-conversion,iree-stream-verify-lowering-to-tensors,inline,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-util-combine-initializers,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-specialize-encodings,func.func(iree-stream-encode-host-tensors),util.initializer(iree-stream-encode-host-tensors),util.func(iree-stream-encode-host-tensors),stream.executable(iree-stream-encode-device-tensors),iree-stream-materialize-encodings,func.func(iree-stream-layout-slices),util.initializer(iree-stream-layout-slices),util.func(iree-stream-layout-slices),func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-verify-lowering-to-async-resources,func.func(iree-stream-materialize-copy-on-write,canonicalize),util.initializer(iree-stream-materialize-copy-on-write,canonicalize),util.func(iree-stream-materialize-copy-on-write,canonicalize),iree-stream-elide-async-copies,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize),func.func(iree-stream-emplace-allocations),util.initializer(iree-stream-emplace-allocations),util.func(iree-stream-emplace-allocations),iree-stream-refine-usage,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize),iree-stream-elide-async-copies,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-verify-async-access-ranges,iree-stream-place-transfer-executions,func.func(iree-stream-schedule-execution),util.initializer(iree-stream-schedule-execution),util.func(iree-stream-schedule-execution),func.func(iree-stream-schedule-concurrency),util.initializer(iree-stream-schedule-concurrency),util.func(iree-stream-schedule-concurrency),iree-stream-sync-initializers,iree-stream-propagate-timepoints,iree-stream-materialize-builtins,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-verify-lowering-to-async,iree-stream-schedule-allocation)' --mlir-print-debuginfo %s
// id: a-region-in-a-branch-of-a-loop-does-not-wait-for-what-the-loop-carries
// title: A region in a branch of a loop does not wait for what the loop carries once the host's waits are gone
// signature: hazard/propagate-timepoints/unordered/without-wait
// check: hazard
// verdict: broken-contract
// guilty-pass: propagate-timepoints
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: two accesses of the same bytes, one of them a write, are ordered; every access is within the life of its memory and reads what somebody wrote; nobody writes ove
// actual: memory of op21: %v19, %v20 = stream.resource.alloca uninitialized : !stream.resource<external>{%c16} => !stream.timepoint: before-allocation
// issue: unreported

module {
  util.global public mutable @g0 : !stream.resource<variable>
  util.func public @main(%v0: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %v5 = stream.async.dispatch @ex::@b_windex_t() : () -> !stream.resource<external>{%c16} loc("op1")
    %v6 = scf.for %v7 = %c0 to %c16 step %c1 iter_args(%v8 = %v5) -> (!stream.resource<external>) {
      util.call @f0(%v8, %v0) : (!stream.resource<external>, i1) -> () loc("op16")
      %v9 = stream.async.alloca : !stream.resource<external>{%c16} loc("op21")
      scf.yield %v9 : !stream.resource<external> loc("op22")
    } loc("op2")
    util.return loc("op26")
  }
  util.func public @f0(%v10: !stream.resource<external>, %v11: i1) {
    %c16 = arith.constant 16 : index
    scf.if %v11 {
      %v14 = stream.async.transfer %v10 : !stream.resource<external>{%c16} -> !stream.resource<transient>{%c16} loc("op10")
      %v15 = stream.async.transfer %v14 : !stream.resource<transient>{%c16} -> !stream.resource<variable>{%c16} loc("op12")
      util.global.store %v15, @g0 : !stream.resource<variable> loc("op13")
      scf.yield loc("op14")
    } loc("op8")
    util.return loc("op15")
  }
}
