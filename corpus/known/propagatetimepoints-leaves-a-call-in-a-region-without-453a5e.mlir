// RUN: not iree-opt '--pass-pipeline=builtin.module(iree-util-verify-initialization-order,iree-stream-verify-input,func.func(canonicalize,cse),util.initializer(canonicalize,cse),util.func(canonicalize,cse),iree-stream-clone-to-consumers,iree-stream-conversion,iree-stream-verify-lowering-to-tensors,inline,func.func(canonicalize,cse),util.initializer(canonicalize,cse),util.func(canonicalize,cse),iree-util-combine-initializers,func.func(canonicalize,cse),util.initializer(canonicalize,cse),util.func(canonicalize,cse),func.func(canonicalize,cse),util.initializer(canonicalize,cse),util.func(canonicalize,cse),iree-stream-specialize-encodings,func.func(iree-stream-encode-host-tensors),util.initializer(iree-stream-encode-host-tensors),util.func(iree-stream-encode-host-tensors),stream.executable(iree-stream-encode-device-tensors),iree-stream-materialize-encodings,func.func(iree-stream-layout-slices),util.initializer(iree-stream-layout-slices),util.func(iree-stream-layout-slices),func.func(canonicalize,cse),util.initializer(canonicalize,cse),util.func(canonicalize,cse),iree-stream-verify-lowering-to-async-resources,func.func(iree-stream-materialize-copy-on-write,canonicalize),util.initializer(iree-stream-materialize-copy-on-write,canonicalize),util.func(iree-stream-materialize-copy-on-write,canonicalize),iree-stream-elide-async-copies,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize),func.func(iree-stream-emplace-allocations),util.initializer(iree-stream-emplace-allocations),util.func(iree-stream-emplace-allocations),iree-stream-refine-usage,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize),iree-stream-elide-async-copies,func.func(canonicalize,cse),util.initializer(canonicalize,cse),util.func(canonicalize,cse),iree-stream-verify-async-access-ranges,iree-stream-place-transfer-executions,func.func(iree-stream-schedule-execution),util.initializer(iree-stream-schedule-execution),util.func(iree-stream-schedule-execution),func.func(iree-stream-schedule-concurrency),util.initializer(iree-stream-schedule-concurrency),util.func(iree-stream-schedule-concurrency),iree-stream-sync-initializers,iree-stream-propagate-timepoints)' %s 2>&1 | filecheck %s
// id: propagatetimepoints-leaves-a-call-in-a-region-without-453a5e
// title: PropagateTimepoints leaves a call in a region without results as it was
// signature: accept/propagate-timepoints/util.call-types-differ
// check: accept
// asked-by: roundtrip
// verdict: rejected
// guilty-pass: propagate-timepoints
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: propagate-timepoints: pass failed: 'util.call' op function type mismatch; expected '() -> !stream.resource<transient>' but callee is '() -> (!stream.resource<tr
// issue: unreported
// CHECK: error: {{.*}}'util.call' op function type mismatch; expected '() -> !stream.resource<transient>' but callee is '() -> (!stream.resource<transient>, !stream.timepoint)'

module {
  util.func public @main(%v0: i1) {
    scf.if %v0 {
      util.call @f0() : () -> () loc("op25")
      scf.yield loc("op33")
    } loc("op10")
    util.return loc("op34")
  }
  util.func private @f1() -> (!stream.resource<transient>) attributes {inlining_policy = #util.inline.never} {
    %c8 = arith.constant 8 : index
    %v2 = stream.async.alloca : !stream.resource<transient>{%c8} loc("op19")
    util.return %v2 : !stream.resource<transient> loc("op20")
  }
  util.func public @f0() {
    %v3 = util.call @f1() : () -> !stream.resource<transient> loc("op21")
    util.return loc("op24")
  }
}
