// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-gives-what-a-branch-of-an-scf-if-yields-a-9401d6
// title: RefineUsage gives what a branch of an scf.if yields and its result two lifetimes
// signature: accept/refine-usage/scf.if-types-differ
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: 'scf.if' op along control flow edge from Operation scf.yield to Operation scf.if: successor operand type #0 '!stream.resource<external>' should match successor input type #0 '!stream.resource<transient>'
// issue: unreported
// CHECK: error: {{.*}}'scf.if' op along control flow edge from Operation scf.yield to {{.*}}: successor operand type #0

module {
  util.func public @main(%v0: index, %v1: !stream.resource<transient>, %v2: i1) -> (!hal.buffer_view, !stream.resource<transient>) {
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %v5 = stream.async.transfer %v1 : !stream.resource<transient>{%v0} -> to(#hal.device.affinity<@dev_a>) !stream.resource<*>{%v0} loc("op0")
    %v6 = scf.if %v2 -> (!stream.resource<*>) {
      %v7 = stream.async.alloca : !stream.resource<*>{%v0} loc("op6")
      scf.yield %v7 : !stream.resource<*> loc("op7")
    } else {
      scf.yield %v5 : !stream.resource<*> loc("op8")
    } loc("op1")
    %v8 = stream.async.transfer %v5 : !stream.resource<*>{%v0} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%v0} loc("op28")
    %v9 = stream.tensor.export %v8 : tensor<?xi8>{%v0} in !stream.resource<external>{%v0} -> !hal.buffer_view loc("op29")
    %v10 = stream.async.dispatch @ex::@a_rrrindex_n(%v6[%c4 to %c8 for %c4]) : (!stream.resource<*>{%v0}) -> !stream.resource<transient>{%v0} loc("op31")
    util.return %v9, %v10 : !hal.buffer_view, !stream.resource<transient> loc("op35")
  }
}
