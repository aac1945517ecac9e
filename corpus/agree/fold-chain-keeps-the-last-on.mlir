// RUN: iree-opt --canonicalize %s | filecheck %s
// UNSUPPORTED: iree-3.11
// id: fold-chain-keeps-the-last-on
// title: A chain of transfers becomes one that keeps the last one's on
// signature: agree/fold/fold-chain-keeps-the-last-on
// check: fold
// verdict: agree
// guilty-pass: none
// pass: canonicalize
// affects: 3.11.0 unparsed, 3.12.0 agrees, 3.13.0 agrees
// expected: the lines below
// actual: as expected
// issue: none
// CHECK: stream.async.transfer on(#hal.device.affinity<@dev_c>) %{{.*}} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_c>)
// CHECK-NOT: stream.async.transfer

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.global private @dev_c : !hal.device
  util.func public @f(%x: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c16 = arith.constant 16 : index
    %t = stream.async.transfer %x : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c16} loc("op0")
    %u = stream.async.transfer on(#hal.device.affinity<@dev_c>) %t : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_c>) !stream.resource<transient>{%c16} loc("op1")
    util.return %u : !stream.resource<transient> loc("op2")
  }
}
