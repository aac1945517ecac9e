// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: result-tied-under-another-lifetime-meets-a-packed-alloca
// title: Result tied under another lifetime meets a packed alloca
// signature: accept/canonicalize/stream.resource.subview-types-differ
// check: accept
// verdict: rejected
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: pack-constants: pass failed: 'stream.resource.subview' op failed to verify that all of {source, result} have same type
// issue: unreported
// CHECK: error: {{.*}}'stream.resource.subview' op failed to verify that all of {source, result} have same type

module {
  util.global private @dev_a : !hal.device
  util.func public @main(%v19: !stream.resource<transient>) -> (!stream.resource<external>, !stream.resource<external>, !stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %v20 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@a_rr_n(%v19[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> !stream.resource<transient>{%c16} loc("op0")
    %v21 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@b_ri8_n(%v20[%c0 to %c12 for %c12]) : (!stream.resource<transient>{%c16}) -> !stream.resource<transient>{%c16} loc("op1")
    %v22 = stream.async.transfer %v20 : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a>) -> !stream.resource<transient>{%c16} loc("op2")
    %v25 = stream.async.alloca : !stream.resource<external>{%c16} loc("op3")
    %v33 = stream.async.dispatch @ex::@b_w_t(%v22[%c4 to %c16 for %c12]) : (!stream.resource<transient>{%c16}) -> %v22 as !stream.resource<external>{%c16} loc("op4")
    %v35 = stream.async.transfer %v21 : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a>) -> !stream.resource<external>{%c16} loc("op5")
    util.return %v35, %v33, %v25 : !stream.resource<external>, !stream.resource<external>, !stream.resource<external> loc("op6")
  }
}
