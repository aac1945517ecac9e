// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// REQUIRES: iree-3.12 || iree-3.13
// id: refineusage-gives-source-and-result-of-a-slice-two-lifetimes
// title: RefineUsage gives source and result of a slice two lifetimes
// signature: accept/refine-usage/stream.async.slice-types-differ
// check: accept
// verdict: rejected
// guilty-pass: refine-usage
// affects: 3.11.0 not, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: refine-usage: pass failed: 'stream.async.slice' op failed to verify that all of {source, result} have same type
// issue: unreported
// CHECK: error: {{.*}}'stream.async.slice' op failed to verify that all of {source, result} have same type

module {
  util.global private @dev_a : !hal.device
  util.func public @main(%v22: !stream.resource<external>) -> (i16) {
    %c0 = arith.constant 0 : index
    %c72 = arith.constant 72 : index
    %c128 = arith.constant 128 : index
    %v23 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@b_ri8_n(%v22[%c0 to %c72 for %c72]) : (!stream.resource<external>{%c128}) -> !stream.resource<variable>{%c128} loc("op0")
    %v24 = stream.async.clone on(#hal.device.affinity<@dev_a>) %v23 : !stream.resource<variable>{%c128} -> !stream.resource<constant>{%c128} loc("op1")
    %v25 = stream.async.transfer %v24 : !stream.resource<constant>{%c128} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<staging>{%c128} loc("op2")
    %v26 = stream.async.load %v25[%c0] : !stream.resource<staging>{%c128} -> i16 loc("op3")
    util.return %v26 : i16 loc("op4")
  }
}
