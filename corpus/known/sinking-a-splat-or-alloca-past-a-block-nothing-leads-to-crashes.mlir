// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: sinking-a-splat-or-alloca-past-a-block-nothing-leads-to-crashes
// title: Sinking a splat or alloca whose users include one in a block that nothing leads to crashes
// signature: accept/canonicalize/crash/SIGSEGV/SinkAllocaLikeOpToConsumers.matchAndRewrite
// check: accept
// verdict: crash
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: SIGSEGV in DominanceInfo::findNearestCommonDominator under SinkAllocaLikeOpToConsumers: a branch on a condition that is decided has just left ^bb4 without a way to it, and its use of the alloca still counts
// issue: unreported
// CHECK: Stack dump

module {
  util.global private @dev_a : !hal.device
  util.func public @main(%v0: i1, %v1: !stream.resource<transient>) {
    %c16 = arith.constant 16 : index
    %v3 = stream.async.alloca : !stream.resource<transient>{%c16} loc("line5")
    cf.cond_br %v0, ^bb3, ^bb1 loc("line6")
  ^bb1:
    cf.cond_br %v0, ^bb4, ^bb2 loc("line8")
  ^bb2:
    cf.br ^bb6(%v1 : !stream.resource<transient>) loc("line10")
  ^bb3:
    %v4 = stream.async.transfer %v3 : !stream.resource<transient>{%c16} -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c16} loc("line12")
    cf.br ^bb5(%v4 : !stream.resource<transient>) loc("line13")
  ^bb4:
    cf.br ^bb5(%v3 : !stream.resource<transient>) loc("line15")
  ^bb5(%v5: !stream.resource<transient>):
    cf.br ^bb6(%v5 : !stream.resource<transient>) loc("line17")
  ^bb6(%v6: !stream.resource<transient>):
    util.return loc("line19")
  }
}
