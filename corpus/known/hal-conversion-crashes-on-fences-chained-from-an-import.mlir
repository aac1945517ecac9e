// RUN: not iree-compile --compile-from=flow %s -o %t.vmfb 2>&1
// id: hal-conversion-crashes-on-fences-chained-from-an-import
// title: Conversion to HAL crashes on a fence that is chained to another
// signature: run/hal-conversion/crash/SIGSEGV
// check: run
// verdict: crash
// guilty-pass: hal-conversion
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program compiles, runs and ends
// actual: hal-conversion: the compiler crashed (SIGSEGV)
// issue: unreported

module attributes {stream.affinity.default = #hal.device.affinity<@dev_a>} {
  util.global private @dev_a = #hal.device.target<"local", {ordinal = 0 : index}, [#hal.executable.target<"vmvx", "vmvx-bytecode-fb", {ukernels = "none"}>]> : !hal.device
  util.func public @main(%v0: !stream.resource<transient>, %v1: !hal.fence, %v2: !hal.fence, %v3: !hal.fence) {
    %c16 = arith.constant 16 : index
    %v5 = stream.async.transfer %v0 : !stream.resource<transient>{%c16} -> !stream.resource<transient>{%c16} loc("op0")
    %v6, %v7 = stream.timepoint.barrier %v5 : !stream.resource<transient>{%c16} => !stream.timepoint loc("op1")
    stream.timepoint.chain_external %v7 => (%v1 : !hal.fence) loc("op2")
    %v8 = stream.timepoint.import %v2 : (!hal.fence) => !stream.timepoint loc("op3")
    stream.timepoint.chain_external on(#hal.device.affinity<@dev_a>) %v8 => (%v3 : !hal.fence) loc("op4")
    util.return loc("op6")
  }
}
