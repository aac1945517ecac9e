// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: fuseglobals-overlooks-what-is-stored-in-a-loop
// title: FuseGlobals makes two globals one though a loop stores to one of them
// signature: accept/fuse-globals/util.global.load-op-is-marked-as-immutable-but-the-global-is-mutable
// check: accept
// verdict: rejected
// guilty-pass: fuse-globals
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: propagate-subranges: pass failed: 'util.global.load' op is marked as immutable but the global is mutable; iree-util-fuse-globals looks at the stores of a function's own blocks only
// issue: unreported
// CHECK: error: {{.*}}'util.global.load' op is marked as immutable but the global is mutable

module {
  util.global private mutable @g0 : !stream.resource<variable>
  util.global private @g1 : !stream.resource<variable>
  util.initializer {
    %c64 = arith.constant 64 : index
    %a = stream.async.alloca : !stream.resource<variable>{%c64} loc("op0")
    util.global.store %a, @g0 : !stream.resource<variable> loc("op1")
    %b = stream.async.alloca : !stream.resource<variable>{%c64} loc("op2")
    util.global.store %b, @g1 : !stream.resource<variable> loc("op3")
    util.return loc("op4")
  }
  util.func public @main(%x: !stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %old = util.global.load @g0 : !stream.resource<variable> loc("op5")
      %kept = util.global.load @g1 : !stream.resource<variable> loc("op8")
      %new = stream.async.dispatch @ex::@work(%old[%c0 to %c64 for %c64], %kept[%c0 to %c64 for %c64]) : (!stream.resource<variable>{%c64}, !stream.resource<variable>{%c64}) -> !stream.resource<variable>{%c64} loc("op9")
      util.global.store %new, @g0 : !stream.resource<variable> loc("op7")
    }
    util.return
  }
}
