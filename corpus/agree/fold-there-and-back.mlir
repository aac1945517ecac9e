// RUN: iree-opt --canonicalize %s | filecheck %s
// id: fold-there-and-back
// title: A transfer there and back is folded away
// signature: agree/fold/fold-there-and-back
// check: fold
// verdict: agree
// guilty-pass: none
// pass: canonicalize
// affects: 3.11.0 agrees, 3.12.0 agrees, 3.13.0 agrees
// expected: the lines below
// actual: as expected
// issue: none
// CHECK: util.func public @f(%[[X:.*]]: !stream.resource<transient>)
// CHECK-NOT: stream.async
// CHECK: util.return %[[X]]

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @f(%x: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c16 = arith.constant 16 : index
    %t = stream.async.transfer %x : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c16} loc("op0")
    %u = stream.async.transfer %t : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c16} loc("op1")
    util.return %u : !stream.resource<transient> loc("op2")
  }
}
