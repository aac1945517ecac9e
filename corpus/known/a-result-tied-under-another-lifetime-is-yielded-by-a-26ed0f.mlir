// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: a-result-tied-under-another-lifetime-is-yielded-by-a-26ed0f
// title: A result tied under another lifetime is yielded by a loop as the operand
// signature: accept/schedule-allocation/scf.for-hands-scf.yield-to-region-successor-operand-type-should-match-successor-input-type
// check: accept
// verdict: rejected
// guilty-pass: schedule-allocation
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: schedule-allocation: pass failed: 'scf.for' op along control flow edge from Operation scf.yield to Region #0: successor operand type #0 '!stream.resource<extern
// issue: unreported
// CHECK: error: {{.*}}'scf.for' op along control flow edge from Operation scf.yield to Region #0: successor operand type #0 '!stream.resource<external>' should match successor input type #0 '!stream.resource<transient>'

module {
  util.func public @main(%v0: i1, %v1: !stream.resource<transient>, %v2: !stream.resource<external>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c24 = arith.constant 24 : index
    %c84 = arith.constant 84 : index
    %c108 = arith.constant 108 : index
    %c128 = arith.constant 128 : index
    %v10 = scf.for %v11 = %c0 to %c3 step %c1 iter_args(%v12 = %v1) -> (!stream.resource<transient>) {
      %v13 = stream.async.copy %v12[%c0 to %c128], %v2[%c0 to %c128], %c128 : !stream.resource<transient>{%c128} -> %v2 as !stream.resource<external>{%c128} loc("op4")
      %v14 = arith.select %v0, %v13, %v2 : !stream.resource<external> loc("op5")
      %v15 = stream.async.dispatch @ex::@a_wf64i8_t(%v14[%c84 to %c108 for %c24]) : (!stream.resource<external>{%c128}) -> %v14 as !stream.resource<transient>{%c128} loc("op6")
      scf.yield %v15 : !stream.resource<transient> loc("op7")
    } loc("op3")
    util.return loc("op19")
  }
}
