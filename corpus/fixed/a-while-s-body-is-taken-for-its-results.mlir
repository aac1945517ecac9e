// RUN: iree-opt '--pass-pipeline=builtin.module(iree-stream-annotate-affinities)' --mlir-print-debuginfo %s
// id: a-while-s-body-is-taken-for-its-results
// title: The affinity analysis takes what a while yields for what it results in
// signature: affinity/annotate-affinities/yielded-taken-for-result
// check: affinity
// verdict: disagree
// guilty-pass: annotate-affinities
// affects: 3.11.0 shows, 3.12.0 not, 3.13.0 not
// fixed-in: 3.12.0
// expected: scf.while at op31: stream.affinities.results = [[#hal.device.affinity<@dev_a>]]
// actual: scf.while at op31: stream.affinities.results = [[#hal.device.affinity<@dev_a>, #hal.device.affinity<@dev_b>]]
// issue: https://github.com/iree-org/iree/issues/24787

module {
  util.func public @other(%v0: !stream.resource<transient>, %v1: i1) {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %v5, %v6 = scf.while (%v7 = %c3, %v8 = %v0) : (index, !stream.resource<transient>) -> (index, !stream.resource<transient>) {
      %v9 = stream.async.transfer %v8 : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c16} loc("op37")
      scf.condition(%v1) %v7, %v9 : index, !stream.resource<transient> loc("op39")
    } do {
    ^bb0(%v10: index, %v11: !stream.resource<transient>):
      %v12 = stream.async.alloca : !stream.resource<transient>{%c16} loc("op40")
      scf.yield %c1, %v12 : index, !stream.resource<transient> loc("op44")
    } loc("op31")
    util.return loc("op48")
  }
}
