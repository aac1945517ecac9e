// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: fuseglobals-overlooks-what-is-stored-in-a-branch
// title: FuseGlobals makes two globals one though a branch stores to one of them
// signature: accept/fuse-globals/util.global.load-op-is-marked-as-immutable-but-the-global-is-mutable
// check: accept
// verdict: rejected
// guilty-pass: fuse-globals
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: fuse-globals in verify-input: pass failed: 'util.global.load' op is marked as immutable but the global is mutable; iree-util-fuse-globals looks at the stores of a function's own blocks only
// issue: unreported
// CHECK: error: {{.*}}'util.global.load' op is marked as immutable but the global is mutable

module {
  util.global private @dev_a : !hal.device
  util.global private mutable @a : tensor<16xi8>
  util.global private mutable @b : tensor<16xi8>
  util.initializer {
    %c7 = arith.constant 7 : i8
    %start = flow.tensor.splat %c7 : tensor<16xi8> attributes {stream.affinity = #hal.device.affinity<@dev_a>} loc("op0")
    util.global.store %start, @a : tensor<16xi8> loc("op1")
    util.global.store %start, @b : tensor<16xi8> loc("op2")
    util.return loc("op3")
  }
  util.func public @main(%again: i1, %x: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view) {
    %t = hal.tensor.import on(#hal.device.affinity<@dev_a>) %x : !hal.buffer_view -> tensor<16xi8> loc("op4")
    scf.if %again {
      util.global.store %t, @a : tensor<16xi8> loc("op5")
    } loc("op6")
    %p = util.global.load @a : tensor<16xi8> loc("op7")
    %q = util.global.load @b : tensor<16xi8> loc("op8")
    %v = hal.tensor.export on(#hal.device.affinity<@dev_a>) %p : tensor<16xi8> -> !hal.buffer_view loc("op9")
    %w = hal.tensor.export on(#hal.device.affinity<@dev_a>) %q : tensor<16xi8> -> !hal.buffer_view loc("op10")
    util.return %v, %w : !hal.buffer_view, !hal.buffer_view loc("op11")
  }
}
