// RUN: iree-opt '--pass-pipeline=builtin.module(iree-util-verify-initialization-order,iree-stream-verify-input,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-clone-to-consumers,iree-stream-conversion,iree-stream-verify-lowering-to-tensors,inline,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-util-combine-initializers,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-specialize-encodings,func.func(iree-stream-encode-host-tensors),util.initializer(iree-stream-encode-host-tensors),util.func(iree-stream-encode-host-tensors),stream.executable(iree-stream-encode-device-tensors),iree-stream-materialize-encodings,func.func(iree-stream-layout-slices),util.initializer(iree-stream-layout-slices),util.func(iree-stream-layout-slices),func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo,iree-stream-verify-lowering-to-async-resources,func.func(iree-stream-materialize-copy-on-write,canonicalize),util.initializer(iree-stream-materialize-copy-on-write,canonicalize),util.func(iree-stream-materialize-copy-on-write,canonicalize),iree-stream-elide-async-copies,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize),func.func(iree-stream-emplace-allocations),util.initializer(iree-stream-emplace-allocations),util.func(iree-stream-emplace-allocations),iree-stream-refine-usage,func.func(canonicalize),util.initializer(canonicalize),util.func(canonicalize),iree-stream-elide-async-copies,func.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.initializer(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),util.func(canonicalize,cse,iree-util-optimize-int-arithmetic,iree-util-simplify-global-accesses,iree-util-apply-patterns),iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo)' --mlir-print-debuginfo %s
// id: cse-makes-two-copies-one-of-which-one-is-handed-to-another-block
// title: CSE makes two copies of a value one, of which one is written in place and the other handed to another block
// signature: value/cse/written-over/handed-on
// check: value
// verdict: wrong-value
// guilty-pass: cse
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 12 of result 1 of @main: bytes 0 to 32: binding 0 of @ex::b__n(32 bytes to write, 4, 2)
// actual: byte 12 of result 1 of @main: bytes 12 to 16: binding 1 of @ex::a_w_t([from byte 12 of binding 0 of @ex::b__n(32 bytes to write, 4, 2) for 4], 4 bytes to write,
// issue: unreported

module {
  util.global private @g0 : tensor<16xi8>
  util.initializer {
    %c127_i8 = arith.constant 127 : i8
    %t0 = flow.tensor.splat %c127_i8 : tensor<16xi8> loc("op4")
    util.global.store %t0, @g0 : tensor<16xi8> loc("op7")
    util.return loc("op8")
  }
  util.func public @main(%v2: i1) -> (!hal.buffer_view, !hal.buffer_view) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c12 = arith.constant 12 : index
    %v7 = flow.dispatch @ex::@b__n[%c4, %c2]() : () -> tensor<32xi8> loc("op0")
    cf.cond_br %v2, ^bb1, ^bb2 loc("op1")
  ^bb1:
    %v8 = flow.tensor.slice %v7[%c12 for %c4] : tensor<32xi8> -> tensor<4xi8> loc("op2")
    %v9 = flow.dispatch @ex::@a_w_t[%c4, %c2](%v8) : (tensor<4xi8>) -> tensor<4xi8> loc("op2~2")
    %v10 = flow.tensor.update %v9, %v7[%c12] : tensor<4xi8> -> %v7 as tensor<32xi8> loc("op2~3")
    cf.br ^bb3(%v10, %v7 : tensor<32xi8>, tensor<32xi8>) loc("op3")
  ^bb2:
    %v11 = util.global.load @g0 : tensor<16xi8> loc("op9")
    %v12 = flow.tensor.slice %v11[%c12 for %c4] : tensor<16xi8> -> tensor<4xi8> loc("op11")
    %v13 = flow.dispatch @ex::@b_r_n[%c1](%v12) : (tensor<4xi8>) -> tensor<32xi8> loc("op11~2")
    cf.br ^bb3(%v13, %v13 : tensor<32xi8>, tensor<32xi8>) loc("op12")
  ^bb3(%v14: tensor<32xi8>, %v15: tensor<32xi8>):
    %v16 = hal.tensor.export %v14 : tensor<32xi8> -> !hal.buffer_view loc("op20")
    %v17 = hal.tensor.export %v15 : tensor<32xi8> -> !hal.buffer_view loc("op23.result1")
    util.return %v16, %v17 : !hal.buffer_view, !hal.buffer_view loc("op23")
  }
}
