// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: a-copy-of-a-dispatch-s-second-result-is-made-of-its-f-4acb96
// title: A copy of a dispatch's second result is made of its first which a fill then passes the end of
// signature: accept/verify-async-access-ranges/stream.async.fill-op-has-invalid-write-access-range-to-for-of-resource-with-size-start-res
// check: accept
// verdict: rejected
// guilty-pass: verify-async-access-ranges
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: verify-async-access-ranges: pass failed: 'stream.async.fill' op has invalid Write access range [216 to 232 for 16] of resource %0#0 with size 16; start > resour
// issue: unreported
// CHECK: error: {{.*}}'stream.async.fill' op has invalid Write access range [216 to 232 for 16] of resource

module {
  util.func public @main(%v0: index) {
    %c127_i32 = arith.constant 127 : i32
    %c16 = arith.constant 16 : index
    %c216 = arith.constant 216 : index
    %c232 = arith.constant 232 : index
    %v6, %v7 = stream.async.dispatch @ex::@b__nn() : () -> (!stream.resource<transient>{%c16}, !stream.resource<transient>{%v0}) loc("op0")
    %v8 = stream.async.fill %c127_i32, %v7[%c216 to %c232 for %c16] : i32 -> %v7 as !stream.resource<transient>{%v0} loc("op2")
    util.call @f0(%v0, %v7, %v8) : (index, !stream.resource<transient>, !stream.resource<transient>) -> () loc("op31")
    util.return loc("op37")
  }
  util.func public @f1(%v9: index, %v10: !stream.resource<transient>, %v11: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c4 = arith.constant 4 : index
    %c80 = arith.constant 80 : index
    %c168 = arith.constant 168 : index
    %c228 = arith.constant 228 : index
    %c232 = arith.constant 232 : index
    %c248 = arith.constant 248 : index
    %v18 = stream.async.transfer %v10 : !stream.resource<transient>{%v9} -> !stream.resource<staging>{%v9} loc("op3")
    %v19 = stream.async.transfer %v18 : !stream.resource<staging>{%v9} -> !stream.resource<transient>{%v9} loc("op9")
    %v20 = stream.async.dispatch @ex::@b_rr_n(%v19[%c168 to %c248 for %c80], %v11[%c228 to %c232 for %c4]) : (!stream.resource<transient>{%v9}, !stream.resource<transient>{%v9}) -> !stream.resource<transient>{%v9} loc("op12")
    util.return %v20 : !stream.resource<transient> loc("op13")
  }
  util.func public @f2() -> (!stream.resource<transient>) {
    %c16 = arith.constant 16 : index
    %v22 = stream.async.alloca : !stream.resource<transient>{%c16} loc("op24")
    util.return %v22 : !stream.resource<transient> loc("op25")
  }
  util.func public @f0(%v23: index, %v24: !stream.resource<transient>, %v25: !stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c52 = arith.constant 52 : index
    %c128 = arith.constant 128 : index
    %c180 = arith.constant 180 : index
    %v33 = util.call @f1(%v23, %v24, %v25) : (index, !stream.resource<transient>, !stream.resource<transient>) -> !stream.resource<transient> loc("op15")
    %v34 = scf.for %v35 = %c0 to %c16 step %c1 iter_args(%v36 = %v33) -> (!stream.resource<transient>) {
      %v37 = util.call @f2() : () -> !stream.resource<transient> loc("op26")
      %v38 = stream.async.dispatch @ex::@b_rrrf32_n(%v36[%c128 to %c180 for %c52], %v37[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%v23}, !stream.resource<transient>{%c16}) -> !stream.resource<transient>{%v23} loc("op27")
      scf.yield %v38 : !stream.resource<transient> loc("op28")
    } loc("op18")
    util.return loc("op30")
  }
}
