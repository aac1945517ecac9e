// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(canonicalize),iree-stream-refine-usage)' %s > %t
// RUN: not iree-opt %t 2>&1 | filecheck %s
// id: refineusage-gives-an-await-s-source-and-result-two-li-6ccbe4
// title: RefineUsage gives an await's source and result two lifetimes which does not read back
// signature: roundtrip/verify-async-access-ranges/does-not-parse/use-of-value-expects-different-type-than-prior-uses-vs
// check: roundtrip
// asked-by: placement
// verdict: broken-contract
// guilty-pass: verify-async-access-ranges
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: a module that reads back
// actual: use of value '%2' expects different type than prior uses: '!stream.resource<transient>' vs '!stream.resource<external>'
// issue: unreported
// CHECK: error: {{.*}}expects different type than prior uses

module {
  util.func public @main(%v0: !stream.resource<*>) -> (!hal.buffer_view) {
    %c64 = arith.constant 64 : index
    %v2, %v3 = util.call @f0(%v0) : (!stream.resource<*>) -> (!stream.resource<*>, !stream.resource<*>) loc("op17")
    %v4 = stream.async.transfer %v3 : !stream.resource<*>{%c64} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c64} loc("op26")
    %v5 = stream.tensor.export %v4 : tensor<16xi32> in !stream.resource<external>{%c64} -> !hal.buffer_view loc("op27")
    util.return %v5 : !hal.buffer_view loc("op29")
  }
  util.func private @f0(%v6: !stream.resource<*>) -> (!stream.resource<*>, !stream.resource<*>) attributes {inlining_policy = #util.inline.never} {
    %c64 = arith.constant 64 : index
    %v8 = stream.async.transfer %v6 : !stream.resource<*>{%c64} -> to(#hal.device.affinity<@dev_a>) !stream.resource<*>{%c64} loc("op4")
    %v9 = stream.async.alloca : !stream.resource<*>{%c64} loc("op6")
    %v10, %v11 = stream.timepoint.barrier %v9 : !stream.resource<*>{%c64} => !stream.timepoint loc("op10")
    %v12, %v13 = stream.timepoint.await %v11 => %v10, %v8 : !stream.resource<*>{%c64}, !stream.resource<*>{%c64} loc("op13")
    util.return %v13, %v8 : !stream.resource<*>, !stream.resource<*> loc("op16")
  }
}
