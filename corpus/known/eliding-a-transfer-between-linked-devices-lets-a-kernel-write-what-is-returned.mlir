// RUN: iree-opt '--pass-pipeline=builtin.module(iree-stream-elide-async-copies)' --mlir-print-debuginfo %s
// id: eliding-a-transfer-between-linked-devices-lets-a-kernel-write-what-is-returned
// title: Eliding a transfer between linked devices lets a kernel write in place what is returned too
// signature: value/elide-async-copies/written-over/without-transfer/directly
// check: value
// verdict: wrong-value
// guilty-pass: elide-async-copies
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 4 of result 0 of @main: bytes 0 to 8: argument 0 of @main
// actual: byte 4 of result 0 of @main: bytes 4 to 8: binding 0 of @ex::a_w_tn([from byte 4 of argument 0 of @main for 4])
// issue: unreported

module attributes {stream.topology = #hal.device.topology<links = [(@dev_b -> @dev_a = {transparent_access = true}), (@dev_b -> @dev_c = {unified_memory = true}), (@dev_c -> @dev_b = {unified_memory = true})]>} {
  util.func public @main(%v0: !stream.resource<transient>) -> (!stream.resource<transient>, !stream.resource<transient>) {
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %v3 = stream.async.transfer %v0 : !stream.resource<transient>{%c8} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_c>) !stream.resource<transient>{%c8} loc("op9")
    %v4 = stream.async.dispatch @ex::@a_w_tn(%v3[%c4 to %c8 for %c4]) : (!stream.resource<transient>{%c8}) -> %v3{%c8} loc("op15")
    util.return %v0, %v4 : !stream.resource<transient>, !stream.resource<transient> loc("op22")
  }
}
