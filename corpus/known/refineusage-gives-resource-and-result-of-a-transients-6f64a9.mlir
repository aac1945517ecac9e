// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-resource-and-result-of-a-transients-6f64a9
// title: RefineUsage gives resource and result of a transients op two lifetimes
// signature: accept/refine-usage/stream.resource.transients-types-differ
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'stream.resource.transients' op failed to verify that all of {resource, result} have same type
// issue: unreported
// CHECK: error: {{.*}}'stream.resource.transients' op failed to verify that all of {resource, result} have same type

module {
  util.func public @main(%v0: !stream.resource<transient>, %v1: !stream.resource<transient>) -> (!hal.buffer_view, !hal.buffer_view) {
    %c16 = arith.constant 16 : index
    %c40 = arith.constant 40 : index
    %c52 = arith.constant 52 : index
    %c92 = arith.constant 92 : index
    %c128 = arith.constant 128 : index
    %v8 = stream.async.transfer %v0 : !stream.resource<transient>{%c128} -> to(#hal.device.affinity<@dev_b>) !stream.resource<*>{%c128} loc("op7")
    %v9, %v10 = stream.timepoint.barrier on(#hal.device.affinity<@dev_b>) %v8 : !stream.resource<*>{%c128} => !stream.timepoint loc("op9")
    %v11, %v12 = stream.timepoint.barrier on(#hal.device.affinity<@dev_b>) %v8 : !stream.resource<*>{%c128} => !stream.timepoint loc("op17")
    %v13, %v14 = stream.resource.transients await(%v12) => %v11 : !stream.resource<*>{%c128} from %v1 : !stream.resource<transient>{%c16} => !stream.timepoint loc("op19")
    %v15 = stream.async.dispatch @ex::@b_rr_n(%v13[%c40 to %c92 for %c52]) : (!stream.resource<*>{%c128}) -> !stream.resource<transient>{%c16} loc("op26")
    %v16 = stream.async.transfer %v9 : !stream.resource<*>{%c128} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<external>{%c128} loc("op28")
    %v17 = stream.tensor.export %v16 : tensor<32xi32> in !stream.resource<external>{%c128} -> !hal.buffer_view loc("op29")
    %v18 = stream.async.transfer %v15 : !stream.resource<transient>{%c16} -> !stream.resource<external>{%c16} loc("op31")
    %v19 = stream.tensor.export %v18 : tensor<?xi8>{%c16} in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op32")
    util.return %v17, %v19 : !hal.buffer_view, !hal.buffer_view loc("op33")
  }
}
