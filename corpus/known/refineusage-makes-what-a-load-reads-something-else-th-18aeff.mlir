// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: refineusage-makes-what-a-load-reads-something-else-th-18aeff
// title: RefineUsage makes what a load reads something else than staging
// signature: accept/refine-usage/stream.async.load-op-operand-must-be-staging-resource-but-got
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'stream.async.load' op operand #0 must be staging resource, but got '!stream.resource<external>'
// issue: unreported
// CHECK: error: {{.*}}'stream.async.load' op operand #0 must be staging resource, but got '!stream.resource<external>'

module {
  util.func public @main(%v0: i1, %v1: !stream.resource<*>) -> (i8) {
    %c0_i16 = arith.constant 0 : i16
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c20 = arith.constant 20 : index
    %c32 = arith.constant 32 : index
    %v11 = stream.async.constant : !stream.resource<constant>{%c32} = dense<[3, 4, 5, 6, 7, 8, 9, 10]> : tensor<8xi32> loc("op0")
    %v12 = stream.async.transfer %v11 : !stream.resource<constant>{%c32} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<*>{%c32} loc("op1")
    %v13 = stream.async.transfer %v12 : !stream.resource<*>{%c32} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<staging>{%c32} loc("op6")
    %v14 = stream.async.store %c0_i16, %v13[%c16] : i16 -> %v13 as !stream.resource<staging>{%c32} loc("op7")
    %v15 = stream.async.load %v14[%c20] : !stream.resource<staging>{%c32} -> i8 loc("op9")
    %v16 = scf.for %v17 = %c0 to %c2 step %c1 iter_args(%v18 = %v1) -> (!stream.resource<*>) {
      %v19 = scf.if %v0 -> (!stream.resource<*>) {
        scf.yield %v12 : !stream.resource<*> loc("op15")
      } else {
        %v20 = stream.async.copy %v18[%c4 to %c20], %v12[%c16 to %c32], %c16 : !stream.resource<*>{%c32} -> %v12 as !stream.resource<*>{%c32} loc("op16")
        scf.yield %v20 : !stream.resource<*> loc("op17")
      } loc("op13")
      scf.yield %v19 : !stream.resource<*> loc("op18")
    } loc("op12")
    util.return %v15 : i8 loc("op34")
  }
}
