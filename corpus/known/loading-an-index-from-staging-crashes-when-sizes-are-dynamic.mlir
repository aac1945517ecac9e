// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// REQUIRES: iree-3.12 || iree-3.13
// id: loading-an-index-from-staging-crashes-when-sizes-are-dynamic
// title: Loading an index from staging crashes when sizes are dynamic
// signature: accept/refine-usage/crash/SIGSEGV/FoldAsyncCloneIntoLoad.matchAndRewrite
// check: accept
// verdict: crash
// guilty-pass: refine-usage
// affects: 3.11.0 not, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: the compiler crashed (SIGSEGV)
// issue: unreported
// CHECK: Stack dump

module {
  util.global private @dev_c : !hal.device
  util.func public @main(%v0: index, %v10: !stream.resource<transient>) -> (index) {
    %c32 = arith.constant 32 : index
    %c60 = arith.constant 60 : index
    %c72 = arith.constant 72 : index
    %c92 = arith.constant 92 : index
    %v13 = stream.async.dispatch on(#hal.device.affinity<@dev_c>) @ex::@b_r_nn() : () -> !stream.resource<external>{%c32} loc("op0")
    %v14 = stream.async.update on(#hal.device.affinity<@dev_c>) %v13, %v10[%c60 to %c92] : !stream.resource<external>{%c32} -> %v10 as !stream.resource<transient>{%v0} loc("op1")
    %v15 = stream.async.transfer %v14 : !stream.resource<transient>{%v0} from(#hal.device.affinity<@dev_c>) -> to(#hal.device.affinity<@dev_c>) !stream.resource<staging>{%v0} loc("op2")
    %v16 = stream.async.load %v15[%c72] : !stream.resource<staging>{%v0} -> index loc("op3")
    util.return %v16 : index loc("op4")
  }
}
