// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-source-and-result-of-a-timepoint-ba-bdf342
// title: RefineUsage gives source and result of a timepoint barrier two lifetimes
// signature: accept/refine-usage/stream.timepoint.barrier-types-differ
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'stream.timepoint.barrier' op failed to verify that all of {resource, result} have same type
// issue: unreported
// CHECK: error: {{.*}}'stream.timepoint.barrier' op failed to verify that all of {resource, result} have same type

module {
  util.func public @main(%v0: index, %v1: !stream.resource<transient>) -> (!hal.buffer_view, !hal.buffer_view) {
    %c4 = arith.constant 4 : index
    %c216 = arith.constant 216 : index
    %c220 = arith.constant 220 : index
    %v5 = stream.async.transfer %v1 : !stream.resource<transient>{%v0} -> to(#hal.device.affinity<@dev_c>) !stream.resource<*>{%v0} loc("op1")
    %v6, %v7 = stream.timepoint.barrier %v5 : !stream.resource<*>{%v0} => !stream.timepoint loc("op7")
    %v8 = stream.async.transfer %v5 : !stream.resource<*>{%v0} from(#hal.device.affinity<@dev_c>) -> to(#hal.device.affinity<@dev_c>) !stream.resource<external>{%v0} loc("op13")
    %v9 = stream.tensor.export %v8 : tensor<?xi8>{%v0} in !stream.resource<external>{%v0} -> !hal.buffer_view loc("op14")
    %v10 = stream.async.dispatch @ex::@b_rr_n(%v6[%c216 to %c220 for %c4]) : (!stream.resource<*>{%v0}) -> !stream.resource<transient>{%v0} loc("op20")
    %v11 = stream.async.transfer %v10 : !stream.resource<transient>{%v0} -> !stream.resource<external>{%v0} loc("op25")
    %v12 = stream.tensor.export %v11 : tensor<?xi8>{%v0} in !stream.resource<external>{%v0} -> !hal.buffer_view loc("op26")
    util.return %v9, %v12 : !hal.buffer_view, !hal.buffer_view loc("op27")
  }
}
