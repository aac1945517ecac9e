// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-materialize-copy-on-write,canonicalize,cse,iree-stream-schedule-execution,iree-stream-schedule-concurrency))' --mlir-print-debuginfo %s
// id: a-wave-is-put-before-an-op-that-reads-what-it-writes-in-place
// title: A wave is put before an op that reads what the wave writes in place
// signature: value/schedule-concurrency/written-over/reordered
// check: value
// verdict: wrong-value
// guilty-pass: schedule-concurrency
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 32: binding 3 of @ex::b_rrr_n([from byte 20 of binding 1 of @ex::a_wr_t([binding 0 of @ex::b_r_n(16 bytes to write) for 
// actual: byte 0 of result 0 of @main: bytes 0 to 32: binding 3 of @ex::b_rrr_n([from byte 20 of binding 1 of @ex::a_wr_t([from byte 8 of binding 0 of @ex::b_r_n(16 bytes
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<transient>, %v1: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %c20 = arith.constant 20 : index
    %c32 = arith.constant 32 : index
    %v9 = stream.async.dispatch @ex::@b_r_n() : () -> !stream.resource<transient>{%c16} loc("op7")
    %v10 = stream.async.dispatch @ex::@a_wr_t(%v9[%c0 to %c12 for %c12]) : (!stream.resource<transient>{%c16}) -> !stream.resource<transient>{%c32} loc("op9")
    %v11 = stream.async.copy %v9[%c8 to %c16], %v9[%c0 to %c8], %c8 : !stream.resource<transient>{%c16} -> %v9 as !stream.resource<transient>{%c16} loc("op12")
    %v12 = stream.async.update %v1, %v0[%c16 to %c32] : !stream.resource<transient>{%c16} -> %v0 as !stream.resource<transient>{%c32} loc("op18")
    %v13 = stream.async.dispatch @ex::@b_rrr_n(%v10[%c20 to %c32 for %c12], %v11[%c4 to %c12 for %c8], %v12[%c0 to %c32 for %c32]) : (!stream.resource<transient>{%c32}, !stream.resource<transient>{%c16}, !stream.resource<transient>{%c32}) -> !stream.resource<transient>{%c32} loc("op22")
    util.return %v13 : !stream.resource<transient> loc("op27")
  }
}
