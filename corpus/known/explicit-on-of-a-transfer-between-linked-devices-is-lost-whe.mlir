// RUN: iree-opt --iree-stream-elide-async-copies %s | filecheck %s
// REQUIRES: iree-3.12 || iree-3.13
// id: explicit-on-of-a-transfer-between-linked-devices-is-lost-whe
// title: The on(...) of a transfer between linked devices is lost when the transfer is elided
// signature: execution/elide-async-copies/lost/stream.async.transfer/to-device
// check: execution
// verdict: broken-contract
// guilty-pass: elide-async-copies
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: the transfer is made on @dev_c, as on(...) says
// actual: ElideAsyncCopies removes it without looking at on(...), which IREE's own folds respect
// issue: unreported
// CHECK-NOT: stream.async.transfer

module attributes {stream.topology = #hal.device.topology<links = [(@dev_a -> @dev_b = {unified_memory = true})]>} {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.global private @dev_c : !hal.device
  util.func public @main(%x: !stream.resource<external>) -> (!stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %d = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@d(%x[%c0 to %c16 for %c16]) : (!stream.resource<external>{%c16}) -> !stream.resource<transient>{%c16} loc("op0")
    %t = stream.async.transfer on(#hal.device.affinity<@dev_c>) %d : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c16} loc("op1")
    %e = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@d(%t[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> !stream.resource<external>{%c16} loc("op2")
    util.return %e : !stream.resource<external> loc("op3")
  }
}
