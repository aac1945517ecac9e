// RUN: iree-opt '--pass-pipeline=builtin.module(inline,iree-stream-elide-async-copies,util.func(canonicalize))' --mlir-print-debuginfo %s
// id: a-transfer-there-and-back-becomes-the-value-which-the-host-then-writes-over
// title: A transfer there and back becomes the value itself, which a store of the host then writes over
// signature: value/canonicalize/written-over/without-transfer/directly
// check: value
// verdict: wrong-value
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: byte 0 of result 0 of @main: bytes 0 to 64: binding 2 of @ex::b_rri32_n([argument 0 of @main for 48; 55 00 00 00 00 00 00 00 for 8; from byte 56 of argument 0 o
// actual: byte 0 of result 0 of @main: bytes 0 to 64: binding 2 of @ex::b_rri32_n([argument 0 of @main for 48; 55 00 00 00 00 00 00 00 for 8; from byte 56 of argument 0 o
// issue: unreported

module {
  util.func public @main(%v0: !stream.resource<staging>) -> (!stream.resource<transient>) {
    %c64 = arith.constant 64 : index
    %v2 = stream.async.transfer %v0 : !stream.resource<staging>{%c64} from(#hal.device.affinity<@dev_d>) -> !stream.resource<transient>{%c64} loc("op5")
    %v3 = stream.async.clone %v2 : !stream.resource<transient>{%c64} -> !stream.resource<transient>{%c64} loc("op6")
    %v4 = util.call @f0(%v3, %v3) : (!stream.resource<transient>, !stream.resource<transient>) -> !stream.resource<transient> loc("op21")
    util.return %v4 : !stream.resource<transient> loc("op34")
  }
  util.func public @f0(%v5: !stream.resource<transient>, %v6: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c85_i64 = arith.constant 85 : i64
    %c0 = arith.constant 0 : index
    %c20 = arith.constant 20 : index
    %c36 = arith.constant 36 : index
    %c48 = arith.constant 48 : index
    %c56 = arith.constant 56 : index
    %c64 = arith.constant 64 : index
    %v14 = stream.async.transfer %v5 : !stream.resource<transient>{%c64} -> to(#hal.device.affinity<@dev_d>) !stream.resource<staging>{%c64} loc("op7")
    %v15 = stream.async.store %c85_i64, %v14[%c48] : i64 -> %v14 as !stream.resource<staging>{%c64} loc("op8")
    %v16 = stream.async.transfer %v15 : !stream.resource<staging>{%c64} -> !stream.resource<transient>{%c64} loc("op13")
    %v17 = stream.async.transfer %v6 : !stream.resource<transient>{%c64} -> to(#hal.device.affinity<@dev_c>) !stream.resource<transient>{%c64} loc("op17")
    %v18 = stream.async.dispatch @ex::@b_rri32_n(%v16[%c0 to %c64 for %c64], %v17[%c36 to %c56 for %c20]) : (!stream.resource<transient>{%c64}, !stream.resource<transient>{%c64}) -> !stream.resource<transient>{%c64} loc("op19")
    util.return %v18 : !stream.resource<transient> loc("op20")
  }
}
