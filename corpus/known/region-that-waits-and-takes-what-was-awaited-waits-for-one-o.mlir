// RUN: iree-opt --canonicalize %s | filecheck %s
// id: region-that-waits-and-takes-what-was-awaited-waits-for-one-o
// title: A region that waits and takes what was awaited waits for one of the two only
// signature: coverage/canonicalize/lost-wait/stream.async.execute
// check: coverage
// verdict: broken-contract
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the region waits for both timepoints
// actual: it waits for %tx alone: ChainDependentAwaits replaces the timepoint that is already there
// issue: unreported
// CHECK: stream.async.execute await(%arg1) =>

module {
  util.func public @main(%x: !stream.resource<external>, %tx: !stream.timepoint, %ty: !stream.timepoint) -> (!stream.resource<external>, !stream.timepoint) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %y = stream.timepoint.await %tx => %x : !stream.resource<external>{%c16} loc("op0")
    %r, %t = stream.async.execute await(%ty) => with(%y as %a: !stream.resource<external>{%c16}) -> !stream.resource<external>{%c16} {
      %d = stream.async.dispatch @ex::@d(%a[%c0 to %c16 for %c16]) : (!stream.resource<external>{%c16}) -> !stream.resource<external>{%c16} loc("op1")
      stream.yield %d : !stream.resource<external>{%c16} loc("op2")
    } => !stream.timepoint loc("op3")
    util.return %r, %t : !stream.resource<external>, !stream.timepoint loc("op4")
  }
}
