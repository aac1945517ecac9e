// RUN: iree-compile --compile-from=flow --compile-to=hal %s -o - | filecheck %s
// id: of-two-fences-that-a-timepoint-is-chained-to-the-first-is-never-reached
// title: Of two fences that one timepoint is chained to the first is never signalled, so that the caller waits for ever
// signature: run/run/hang/fence
// check: run
// verdict: hang
// guilty-pass: run
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program compiles, runs and ends
// actual: run on local-sync: no answer; no command signals the first fence
// issue: unreported
// CHECK: @main
// CHECK-NOT: signal(%arg0)
// CHECK: signal(%arg1)
// CHECK-NOT: signal(%arg0)
// CHECK: util.return

module attributes {stream.affinity.default = #hal.device.affinity<@dev_a>} {
  util.global private @dev_a = #hal.device.target<"local", {ordinal = 0 : index}, [#hal.executable.target<"vmvx", "vmvx-bytecode-fb", {ukernels = "none"}>]> : !hal.device
  util.func public @main(%v0: !hal.fence, %v1: !hal.fence) {
    %c0_i64 = arith.constant 0 : i64
    %c16 = arith.constant 16 : index
    %v4 = stream.async.splat %c0_i64 : i64 -> !stream.resource<transient>{%c16} loc("op0")
    %v5, %v6 = stream.timepoint.barrier %v4 : !stream.resource<transient>{%c16} => !stream.timepoint loc("op1")
    stream.timepoint.chain_external %v6 => (%v0 : !hal.fence) loc("op2")
    %v7, %v8 = stream.timepoint.barrier %v4 : !stream.resource<transient>{%c16} => !stream.timepoint loc("op7")
    stream.timepoint.chain_external on(#hal.device.affinity<@dev_a>) %v8 => (%v1 : !hal.fence) loc("op8")
    util.return loc("op12")
  }
}
