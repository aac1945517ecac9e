// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-schedule-execution,iree-stream-schedule-concurrency),iree-stream-schedule-allocation)' %s > %t
// RUN: not iree-opt %t 2>&1 | filecheck %s
// id: result-tied-under-another-lifetime-does-not-print-as-it-read
// title: Result tied under another lifetime does not print as it reads
// signature: roundtrip/schedule-allocation/does-not-parse/use-of-value-expects-different-type-than-prior-uses-vs
// check: roundtrip
// verdict: broken-contract
// guilty-pass: schedule-allocation
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the printed module reads back
// actual: use of value '%2' expects different type than prior uses: '!stream.resource<external>' vs '!stream.resource<transient>'
// issue: unreported
// CHECK: error: {{.*}}expects different type than prior uses

module {
  util.global private @dev_a : !hal.device
  util.global private @dev_c : !hal.device
  util.func public @main(%v0: !stream.resource<constant>) -> (!hal.buffer_view) {
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %v5 = stream.async.transfer %v0 : !stream.resource<constant>{%c8} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_c>) !stream.resource<transient>{%c8} loc("op0")
    %v6 = stream.async.dispatch on(#hal.device.affinity<@dev_c>) @ex::@a_wf64_t(%v5[%c4 to %c8 for %c4]) : (!stream.resource<transient>{%c8}) -> %v5 as !stream.resource<external>{%c8} loc("op1")
    %v7 = stream.tensor.export %v6 : tensor<2xi32> in !stream.resource<external>{%c8} -> !hal.buffer_view loc("op2")
    util.return %v7 : !hal.buffer_view loc("op3")
  }
}
