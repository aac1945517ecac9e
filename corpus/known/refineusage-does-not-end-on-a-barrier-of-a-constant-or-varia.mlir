// RUN: not timeout 5 iree-opt --iree-stream-transformation-pipeline %s
// id: refineusage-does-not-end-on-a-barrier-of-a-constant-or-varia
// title: RefineUsage does not end on a barrier of a constant or variable argument
// signature: accept/refine-usage/hang
// check: accept
// verdict: hang
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: the compiler gave no answer in 3.1 s
// issue: unreported

module {
  util.global private @dev_b : !hal.device
  util.func public @main(%v0: !stream.resource<variable>) {
    %c32 = arith.constant 32 : index
    %v7 = stream.async.barrier on(#hal.device.affinity<@dev_b>) %v0 : !stream.resource<variable>{%c32} loc("op0")
    util.return loc("op1")
  }
}
