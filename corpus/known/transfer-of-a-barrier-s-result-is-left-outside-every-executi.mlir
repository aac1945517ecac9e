// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: transfer-of-a-barrier-s-result-is-left-outside-every-executi
// title: Transfer of a barrier's result is left outside every execution region
// signature: accept/verify-lowering-to-async/stream.async.transfer-op-streamable-op-expected-to-be-in-an-execution-region
// check: accept
// verdict: rejected
// guilty-pass: verify-lowering-to-async
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: materialize-builtins: pass failed: 'stream.async.transfer' op : streamable op expected to be in an execution region
// issue: unreported
// CHECK: error: {{.*}}'stream.async.transfer' op : streamable op expected to be in an execution region

module {
  util.global private @dev_b : !hal.device
  util.func public @main() -> (index) {
    %cn1_i8 = arith.constant -1 : i8
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %v3 = stream.async.splat on(#hal.device.affinity<@dev_b>) %cn1_i8 : i8 -> !stream.resource<external>{%c16} loc("op0")
    %v4 = stream.async.barrier on(#hal.device.affinity<@dev_b>) %v3 : !stream.resource<external>{%c16} loc("op1")
    %v5 = stream.async.transfer %v4 : !stream.resource<external>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<staging>{%c16} loc("op2")
    %v6 = stream.async.load %v5[%c8] : !stream.resource<staging>{%c16} -> index loc("op3")
    util.return %v6 : index loc("op4")
  }
}
