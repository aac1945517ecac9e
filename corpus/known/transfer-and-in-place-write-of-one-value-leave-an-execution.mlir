// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: transfer-and-in-place-write-of-one-value-leave-an-execution
// title: Transfer and in-place write of one value leave an execution region that yields what it does not capture
// signature: accept/cse/stream.yield-op-used-resource-not-listed-in-explicit-captures-or-produced-internally
// check: accept
// verdict: rejected
// guilty-pass: cse
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: materialize-builtins: pass failed: 'stream.yield' op used resource not listed in explicit captures (or produced internally)
// issue: unreported
// CHECK: error: {{.*}}'stream.yield' op used resource not listed in explicit captures (or produced internally)

module {
  util.global private @dev_a : !hal.device
  util.func public @main(%v0: index) -> (!hal.buffer_view, !stream.resource<staging>) {
    %c85_i64 = arith.constant 85 : i64
    %c56 = arith.constant 56 : index
    %c176 = arith.constant 176 : index
    %c232 = arith.constant 232 : index
    %v10 = stream.async.splat on(#hal.device.affinity<@dev_a>) %c85_i64 : i64 -> !stream.resource<transient>{%v0} loc("op0")
    %v11 = stream.async.transfer %v10 : !stream.resource<transient>{%v0} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<staging>{%v0} loc("op1")
    %v13 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@b_w_t(%v10[%c176 to %c232 for %c56]) : (!stream.resource<transient>{%v0}) -> %v10 as !stream.resource<external>{%v0} loc("op2")
    %v14 = stream.tensor.export %v13 : tensor<?xi8>{%v0} in !stream.resource<external>{%v0} -> !hal.buffer_view loc("op3")
    util.return %v14, %v11 : !hal.buffer_view, !stream.resource<staging> loc("op4")
  }
}
