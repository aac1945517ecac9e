// RUN: iree-opt --canonicalize %s | filecheck %s
// REQUIRES: iree-3.12 || iree-3.13
// id: explicit-on-of-a-transfer-on-one-device-is-lost-when-it-beco
// title: The on(...) of a transfer between two values on one device is lost when it becomes a clone
// signature: execution/canonicalize/lost/stream.async.transfer/to-device
// check: execution
// verdict: broken-contract
// guilty-pass: canonicalize
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: the copy executes on @dev_b, as its on(...) says
// actual: SameAffinityTransferToClone makes it a clone on @dev_a without looking at on(...); so does a chain of transfers that leads back
// issue: unreported
// CHECK: stream.async.clone on(#hal.device.affinity<@dev_a>)

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @main(%x: !stream.resource<external>) -> (!stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %t = stream.async.transfer on(#hal.device.affinity<@dev_b>) %x : !stream.resource<external>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c16} loc("op0")
    %d = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@d(%t[%c0 to %c16 for %c16]) : (!stream.resource<external>{%c16}) -> !stream.resource<external>{%c16} loc("op1")
    util.return %d : !stream.resource<external> loc("op2")
  }
}
