// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// id: ipo-breaks-on-a-function-that-returns-its-argument-twice
// title: IPO breaks on a function that returns its argument twice
// signature: accept/ipo/operation-s-operand-is-unlinked
// check: accept
// verdict: rejected
// guilty-pass: ipo
// affects: 3.11.0 sometimes, 3.12.0 sometimes, 3.13.0 sometimes
// expected: the program is valid, so every pass accepts it
// actual: verify-input: pass failed: operation's operand is unlinked (what is freed may be found so, or crash the verifier)
// issue: unreported
// CHECK: error: {{.*}}operation's operand is unlinked

module {
  util.func private @f1(%v0: !stream.resource<transient>) -> (!stream.resource<transient>, !stream.resource<transient>) {
    util.return %v0, %v0 : !stream.resource<transient>, !stream.resource<transient> loc("op1")
  }
  util.func public @f0(%v1: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %v2, %v3 = util.call @f1(%v1) : (!stream.resource<transient>) -> (!stream.resource<transient>, !stream.resource<transient>) loc("op3")
    util.return %v3 : !stream.resource<transient> loc("op8")
  }
}
