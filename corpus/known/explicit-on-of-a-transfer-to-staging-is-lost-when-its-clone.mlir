// RUN: iree-opt --canonicalize %s | filecheck %s
// REQUIRES: iree-3.12 || iree-3.13
// id: explicit-on-of-a-transfer-to-staging-is-lost-when-its-clone
// title: The on(...) of a transfer to staging is lost when a load of a transferred clone becomes a load of a slice
// signature: execution/canonicalize/lost/stream.async.transfer/to-staging
// check: execution
// verdict: broken-contract
// guilty-pass: canonicalize
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: what is loaded was moved on @dev_b, as on(...) says
// actual: FoldAsyncCloneIntoLoad makes a new transfer without on(...): it executes on @dev_a
// issue: unreported
// CHECK: stream.async.slice
// CHECK-NEXT: %{{.*}} = stream.async.transfer %{{.*}} from(#hal.device.affinity<@dev_a>)

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @main(%x: !stream.resource<external>) -> (i32) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %y = stream.async.clone on(#hal.device.affinity<@dev_a>) %x : !stream.resource<external>{%c16} -> !stream.resource<transient>{%c16} loc("op0")
    %s = stream.async.transfer on(#hal.device.affinity<@dev_b>) %y : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<staging>{%c16} loc("op1")
    %l = stream.async.load %s[%c0] : !stream.resource<staging>{%c16} -> i32 loc("op2")
    util.return %l : i32 loc("op3")
  }
}
