// RUN: iree-opt --canonicalize %s | filecheck %s
// id: fold-one-device-to-clone
// title: A transfer on one device becomes a clone
// signature: agree/fold/fold-one-device-to-clone
// check: fold
// verdict: agree
// guilty-pass: none
// pass: canonicalize
// affects: 3.11.0 agrees, 3.12.0 agrees, 3.13.0 agrees
// expected: the lines below
// actual: as expected
// issue: none
// CHECK: stream.async.clone on(#hal.device.affinity<@dev_a>) %{{.*}} : !stream.resource<transient>{{.*}} -> !stream.resource<external>
// CHECK-NOT: stream.async.transfer

module {
  util.global private @dev_a : !hal.device
  util.func public @f(%x: !stream.resource<transient>) -> (!stream.resource<external>) {
    %c16 = arith.constant 16 : index
    %t = stream.async.transfer %x : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c16} loc("op0")
    util.return %t : !stream.resource<external> loc("op1")
  }
}
