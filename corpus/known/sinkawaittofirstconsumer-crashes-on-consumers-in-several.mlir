// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: sinkawaittofirstconsumer-crashes-on-consumers-in-several
// title: SinkAwaitToFirstConsumer crashes on consumers in several blocks
// signature: accept/canonicalize/crash/SIGSEGV/SinkAwaitToFirstConsumer.matchAndRewrite
// check: accept
// verdict: crash
// guilty-pass: canonicalize
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: schedule-execution: the compiler crashed (SIGSEGV)
// issue: unreported
// CHECK: Stack dump

module {
  util.func public @main(%v0: i1, %v1: !stream.resource<transient>, %v2: i1, %v3: !stream.resource<transient>, %v4: !stream.timepoint) -> (!hal.buffer_view, !stream.resource<transient>) {
    %c16 = arith.constant 16 : index
    cf.br ^bb1 loc("op3")
  ^bb1:
    cf.cond_br %v2, ^bb2, ^bb3 loc("op5")
  ^bb2:
    cf.br ^bb1 loc("op10")
  ^bb3:
    %v6, %v7 = stream.timepoint.await %v4 => %v3, %v1 : !stream.resource<transient>{%c16}, !stream.resource<transient>{%c16} loc("op20")
    cf.cond_br %v0, ^bb4, ^bb5 loc("op22")
  ^bb4:
    %v8 = stream.async.barrier %v1 : !stream.resource<transient>{%c16} loc("op23")
    cf.br ^bb6(%v6 : !stream.resource<transient>) loc("op24")
  ^bb5:
    cf.br ^bb6(%v1 : !stream.resource<transient>) loc("op25")
  ^bb6(%v9: !stream.resource<transient>):
    %v10 = stream.async.transfer %v9 : !stream.resource<transient>{%c16} -> !stream.resource<external>{%c16} loc("op30")
    %v11 = stream.tensor.export %v10 : tensor<?xi8>{%c16} in !stream.resource<external>{%c16} -> !hal.buffer_view loc("op31")
    util.return %v11, %v7 : !hal.buffer_view, !stream.resource<transient> loc("op32")
  }
}
