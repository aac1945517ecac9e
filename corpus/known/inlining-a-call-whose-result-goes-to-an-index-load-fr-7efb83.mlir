// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// REQUIRES: iree-3.12 || iree-3.13
// id: inlining-a-call-whose-result-goes-to-an-index-load-fr-7efb83
// title: Inlining a call whose result goes to an index load from staging crashes
// signature: accept/inline/crash/SIGSEGV/FoldAsyncCloneIntoLoad.matchAndRewrite
// check: accept
// verdict: crash
// guilty-pass: inline
// affects: 3.11.0 not, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: inline: the compiler crashed (SIGSEGV)
// issue: unreported
// CHECK: Stack dump

module {
  util.func public @main(%v0: !stream.resource<transient>) -> (index) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %v3 = util.call @f0(%v0) : (!stream.resource<transient>) -> !stream.resource<transient> loc("op7")
    %v4 = stream.async.transfer %v3 : !stream.resource<transient>{%c8} -> !stream.resource<staging>{%c8} loc("op12")
    %v5 = stream.async.load %v4[%c0] : !stream.resource<staging>{%c8} -> index loc("op13")
    util.return %v5 : index loc("op21")
  }
  util.func public @f0(%v6: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c8 = arith.constant 8 : index
    %v8 = stream.async.transfer %v6 : !stream.resource<transient>{%c8} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<transient>{%c8} loc("op3")
    util.return %v8 : !stream.resource<transient> loc("op5")
  }
}
