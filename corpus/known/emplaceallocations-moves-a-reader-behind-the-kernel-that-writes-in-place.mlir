// RUN: iree-opt '--pass-pipeline=builtin.module(util.func(iree-stream-materialize-copy-on-write),iree-stream-elide-async-copies,util.func(iree-stream-emplace-allocations))' --mlir-print-debuginfo %s
// id: emplaceallocations-moves-a-reader-behind-the-kernel-that-writes-in-place
// title: EmplaceAllocations moves the reader of a value behind the kernel that writes it in place
// signature: value/emplace-allocations/written-over/shared
// check: value
// verdict: wrong-value
// guilty-pass: emplace-allocations
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 128 of result 0 of @main: bytes 128 to 256: binding 1 of @ex::b_rr_n([7f 00 7f 00 7f 00 7f 00 for 8], 128 bytes to write)
// actual: byte 128 of result 0 of @main: bytes 128 to 256: binding 1 of @ex::b_rr_n([from byte 192 of binding 0 of @ex::a_w_tn([7f 00 7f 00 7f 00 7f 00 7f 00 7f 00 7f 00 
// issue: unreported

module {
  util.func public @main(%v0: index) -> (!stream.resource<transient>) {
    %c127_i16 = arith.constant 127 : i16
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %c200 = arith.constant 200 : index
    %c256 = arith.constant 256 : index
    %v8 = stream.async.splat %c127_i16 : i16 -> !stream.resource<transient>{%v0} loc("op1")
    %v9 = stream.async.transfer %v8 : !stream.resource<transient>{%v0} -> to(#hal.device.affinity<@dev_c>) !stream.resource<transient>{%v0} loc("op5")
    %v10 = stream.async.dispatch @ex::@b_rr_n(%v9[%c192 to %c200 for %c8]) : (!stream.resource<transient>{%v0}) -> !stream.resource<transient>{%c128} loc("op17")
    %v11 = stream.async.dispatch @ex::@a_w_tn(%v9[%c0 to %v0 for %v0]) : (!stream.resource<transient>{%v0}) -> %v9{%v0} loc("op21")
    %v12 = stream.async.update %v10, %v11[%c128 to %c256] : !stream.resource<transient>{%c128} -> %v11 as !stream.resource<transient>{%v0} loc("op22")
    util.return %v12 : !stream.resource<transient> loc("op31")
  }
}
