// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// REQUIRES: iree-3.12 || iree-3.13
// id: loading-an-index-from-a-splatted-or-cloned-value-crashes-the
// title: Loading an index from a splatted or cloned value crashes the folder
// signature: accept/verify-input/crash/SIGSEGV/FoldAsyncCloneIntoLoad.matchAndRewrite
// check: accept
// verdict: crash
// guilty-pass: verify-input
// affects: 3.11.0 not, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: verify-input: the compiler crashed (SIGSEGV)
// issue: unreported
// CHECK: Stack dump

module {
  util.global private @dev_c : !hal.device
  util.func public @main(%v13: !stream.resource<transient>) -> (index) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %v16 = stream.async.clone on(#hal.device.affinity<@dev_c>) %v13 : !stream.resource<transient>{%c64} -> !stream.resource<*>{%c64} loc("op0")
    %v18 = stream.async.transfer %v16 : !stream.resource<*>{%c64} from(#hal.device.affinity<@dev_c>) -> to(#hal.device.affinity<@dev_c>) !stream.resource<staging>{%c64} loc("op1")
    %v19 = stream.async.load %v18[%c0] : !stream.resource<staging>{%c64} -> index loc("op2")
    util.return %v19 : index loc("op3")
  }
}
