// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: a-dispatch-s-second-result-is-taken-for-its-first
// title: A dispatch's second result is taken for its first when what copies it is elided
// signature: accept/verify-async-access-ranges/range-beyond-resource
// check: accept
// verdict: rejected
// guilty-pass: verify-async-access-ranges
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: verify-async-access-ranges: pass failed: 'stream.async.dispatch' op has invalid Read access range [156 to 200 for 44] of resource %0#0 with size 8; start > reso
// issue: unreported
// CHECK: error: {{.*}}'stream.async.dispatch' op has invalid Read access range [156 to 200 for 44] of resource

module {
  util.global private @dev_a : !hal.device
  util.func public @main(%v0: index) -> (!hal.buffer_view) {
    %c8 = arith.constant 8 : index
    %c44 = arith.constant 44 : index
    %c156 = arith.constant 156 : index
    %c200 = arith.constant 200 : index
    %v40, %v41 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@a__nn() : () -> (!stream.resource<*>{%c8}, !stream.resource<*>{%v0}) loc("op0")
    %v54 = stream.async.clone on(#hal.device.affinity<@dev_a>) %v41 : !stream.resource<*>{%v0} -> !stream.resource<*>{%v0} loc("op1")
    %v65 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@a_rrrf64_n(%v54[%c156 to %c200 for %c44]) : (!stream.resource<*>{%v0}) -> !stream.resource<*>{%v0} loc("op2")
    %v67 = stream.async.transfer %v65 : !stream.resource<*>{%v0} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%v0} loc("op3")
    %v68 = stream.tensor.export %v67 : tensor<?xi8>{%v0} in !stream.resource<external>{%v0} -> !hal.buffer_view loc("op4")
    util.return %v68 : !hal.buffer_view loc("op5")
  }
}
