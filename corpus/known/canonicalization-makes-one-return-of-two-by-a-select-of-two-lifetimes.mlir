// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: canonicalization-makes-one-return-of-two-by-a-select-of-two-lifetimes
// title: Canonicalization makes one return of two, by a select between two lifetimes
// signature: accept/canonicalize/arith.select-types-differ
// check: accept
// verdict: rejected
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: canonicalize in pack-constants: pass failed: 'arith.select' op failed to verify that all of {true_value, false_value, result} have same type
// issue: unreported
// CHECK: error: {{.*}}'arith.select' op failed to verify that all of {true_value, false_value, result} have same type

module {
  util.func public @main(%v0: i1, %v1: !stream.resource<transient>, %v2: !stream.resource<transient>, %v3: !hal.buffer_view, %v4: !hal.buffer_view, %v5: !stream.resource<external>) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !stream.resource<transient>, !stream.resource<external>, !stream.resource<external>) {
    %c20 = arith.constant 20 : index
    %c68 = arith.constant 68 : index
    %c88 = arith.constant 88 : index
    %c128 = arith.constant 128 : index
    %v10 = stream.async.barrier %v1 : !stream.resource<transient>{%c128} loc("op24")
    %v11 = stream.async.dispatch @ex::@a_w_t(%v10[%c20 to %c88 for %c68]) : (!stream.resource<transient>{%c128}) -> %v10 as !stream.resource<external>{%c128} loc("op25")
    %v12 = stream.async.alloca : !stream.resource<external>{%c128} loc("op30")
    %v13 = stream.async.alloca : !stream.resource<external>{%c128} loc("op31")
    %v14 = stream.tensor.export %v13 : tensor<32xi32> in !stream.resource<external>{%c128} -> !hal.buffer_view loc("op32")
    cf.cond_br %v0, ^bb1, ^bb2 loc("op33")
  ^bb1:
    util.return %v3, %v4, %v14, %v2, %v11, %v12 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !stream.resource<transient>, !stream.resource<external>, !stream.resource<external> loc("op34")
  ^bb2:
    util.return %v3, %v4, %v14, %v2, %v5, %v12 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !stream.resource<transient>, !stream.resource<external>, !stream.resource<external> loc("op35")
  }
}
