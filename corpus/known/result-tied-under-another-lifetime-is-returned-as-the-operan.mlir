// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: result-tied-under-another-lifetime-is-returned-as-the-operan
// title: Result tied under another lifetime is returned as the operand's lifetime
// signature: accept/canonicalize/util.return-types-differ
// check: accept
// verdict: rejected
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: pack-constants: pass failed: 'util.return' op type of return operand 1 ('!stream.resource<transient>') doesn't match function result type ('!stream.resource<ext
// issue: unreported
// CHECK: error: {{.*}}'util.return' op type of return operand 1

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @main(%v23: !stream.resource<*>, %v14: !stream.resource<external>) -> (!stream.resource<external>, !stream.resource<external>, !stream.resource<external>) {
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c20 = arith.constant 20 : index
    %c32 = arith.constant 32 : index
    %v18 = stream.async.transfer %v14 : !stream.resource<external>{%c32} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c32} loc("op0")
    %v24 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@b_w_t() : () -> !stream.resource<external>{%c32} loc("op1")
    %v25 = stream.async.dispatch @ex::@a_w_t(%v18[%c16 to %c20 for %c4]) : (!stream.resource<transient>{%c32}) -> %v18 as !stream.resource<external>{%c32} loc("op2")
    %v27 = stream.async.transfer %v23 : !stream.resource<*>{%c32} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c32} loc("op3")
    util.return %v24, %v25, %v27 : !stream.resource<external>, !stream.resource<external>, !stream.resource<external> loc("op4")
  }
}
