// RUN: not iree-opt --iree-stream-transformation-pipeline %s 2>&1 | filecheck %s
// REQUIRES: iree-3.12 || iree-3.13
// id: ipo-breaks-on-a-function-that-returns-one-value-twice
// title: IPO breaks on a function that returns one value twice
// signature: accept/elide-async-copies-again/operation-s-operand-is-unlinked
// check: accept
// verdict: rejected
// guilty-pass: elide-async-copies-again
// affects: 3.11.0 unparsed, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: elide-async-copies-again: pass failed: operation's operand is unlinked
// issue: unreported
// CHECK: error: {{.*}}operation's operand is unlinked

module attributes {stream.topology = #hal.device.topology<links = [(@dev_a -> @dev_b = {unified_memory = true}), (@dev_b -> @dev_a = {unified_memory = true}), (@dev_b -> @dev_c = {unified_memory = true}), (@dev_c -> @dev_b = {unified_memory = true}), (@dev_b -> @dev_d = {unified_memory = true}), (@dev_d -> @dev_b = {unified_memory = true}), (@dev_d -> @dev_c = {transparent_access = true})]>} {
  util.func private @f1(%v0: !stream.resource<transient>) -> (!stream.resource<transient>, !stream.resource<transient>) attributes {inlining_policy = #util.inline.never} {
    %c8 = arith.constant 8 : index
    %v2 = stream.async.transfer on(#hal.device.affinity<@dev_d>) %v0 : !stream.resource<transient>{%c8} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_d>) !stream.resource<transient>{%c8} loc("op23")
    %v3 = stream.async.transfer %v0 : !stream.resource<transient>{%c8} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_d>) !stream.resource<transient>{%c8} loc("op24")
    util.return %v2, %v3 : !stream.resource<transient>, !stream.resource<transient> loc("op25")
  }
  util.func public @f0(%v4: !stream.resource<transient>) -> (!stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %v8, %v9 = util.call @f1(%v4) : (!stream.resource<transient>) -> (!stream.resource<transient>, !stream.resource<transient>) loc("op26")
    %v10 = stream.async.dispatch @ex::@b_rrr_n(%v8[%c0 to %c8 for %c8], %v9[%c0 to %c4 for %c4]) : (!stream.resource<transient>{%c8}, !stream.resource<transient>{%c8}) -> !stream.resource<transient>{%c8} loc("op30")
    util.return %v10 : !stream.resource<transient> loc("op31")
  }
}
