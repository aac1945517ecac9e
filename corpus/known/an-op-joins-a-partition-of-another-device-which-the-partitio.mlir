// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// REQUIRES: iree-3.12 || iree-3.13
// id: an-op-joins-a-partition-of-another-device-which-the-partitio
// title: An op joins a partition of another device, which the partition's own check refuses
// signature: accept/schedule-execution/op-affinity-is-not-compatible-with-the-partition-affinity-two-devices
// check: accept
// verdict: rejected
// guilty-pass: schedule-execution
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: schedule-execution: pass failed: op affinity #hal.device.affinity<@dev_b> is not compatible with the partition affinity #hal.device.affinity<@dev_a>
// issue: unreported
// CHECK: error: {{.*}}op affinity

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.global private @dev_c : !hal.device
  util.func public @main(%v0: index) {
    %c1_i16 = arith.constant 1 : i16
    %v5 = stream.async.splat on(#hal.device.affinity<@dev_a>) %c1_i16 : i16 -> !stream.resource<*>{%v0} loc("op0")
    %v6 = stream.async.transfer %v5 : !stream.resource<*>{%v0} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_c>) !stream.resource<transient>{%v0} loc("op1")
    %v8 = stream.async.transfer on(#hal.device.affinity<@dev_c>) %v6 : !stream.resource<transient>{%v0} from(#hal.device.affinity<@dev_c>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%v0} loc("op2")
    %v14 = stream.async.barrier on(#hal.device.affinity<@dev_b>) %v8 : !stream.resource<transient>{%v0} loc("op3")
    util.return loc("op4")
  }
}
