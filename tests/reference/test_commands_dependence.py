"""Which values are made of which: each way with a program that has it, and one that does not."""

from __future__ import annotations

import pytest
from commanded import program_of
from samples import Ask

from reference.commands.dependence import depends
from reference.ir import Program

TEXT = """
module {
  util.global private @a : !hal.device
  util.global private mutable @kept : !stream.resource<variable>
  util.global private mutable @other : !stream.resource<variable>
  util.func private @callee(%x: !stream.resource<transient>, %y: !stream.resource<transient>)
      -> (!stream.resource<transient>, !stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %inner = stream.async.clone %x : !stream.resource<transient>{%c16}
        -> !stream.resource<transient>{%c16} loc("inner")
    util.return %inner, %y : !stream.resource<transient>, !stream.resource<transient>
  }
  util.func public @main(%given: !stream.resource<transient>, %flag: i1)
      -> !stream.resource<transient> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %p = stream.async.clone %given : !stream.resource<transient>{%c16}
        -> !stream.resource<transient>{%c16} loc("p")
    %q = stream.async.clone %given : !stream.resource<transient>{%c16}
        -> !stream.resource<transient>{%c16} loc("q")
    BODY
  }
}
"""

CLONE = (
    "stream.async.clone {} : !stream.resource<transient>{{%c16}} "
    '-> !stream.resource<transient>{{%c16}} loc("{}")\n'
)
END = "util.return %p : !stream.resource<transient>"
CALL = """
    %r:2 = util.call @callee(%p, %q) : (!stream.resource<transient>, !stream.resource<transient>)
        -> (!stream.resource<transient>, !stream.resource<transient>)
"""
LOOP = f"""
    %r = scf.for %i = %c0 to %c16 step %c1 iter_args(%each = %p) -> (!stream.resource<transient>) {{
      %s = {CLONE.format("%each", "s")}
      scf.yield %s : !stream.resource<transient>
    }}
    %t = {CLONE.format("%r", "t")}
"""
BRANCHES = f"""
    cf.cond_br %flag, ^bb1(%p : !stream.resource<transient>), ^bb2
  ^bb1(%each: !stream.resource<transient>):
    %s = {CLONE.format("%each", "s")}
    cf.br ^bb1(%s : !stream.resource<transient>)
  ^bb2:
"""
GLOBALS = """
    %v = stream.async.transfer %p : !stream.resource<transient>{%c16}
        -> !stream.resource<variable>{%c16} loc("v")
    util.global.store %v, @kept : !stream.resource<variable>
    %w = util.global.load @NAME : !stream.resource<variable>
    %x = stream.async.transfer %w : !stream.resource<variable>{%c16}
        -> !stream.resource<transient>{%c16} loc("x")
"""


def needs(program: Program, later: str, earlier: str) -> bool:
    return depends(program, lambda one: one.identity == later, lambda one: one.identity == earlier)


@pytest.mark.parametrize(
    ("body", "later", "earlier", "expected"),
    [
        ("%s = " + CLONE.format("%p", "s"), "s", "p", True),
        ("%s = " + CLONE.format("%p", "s"), "s", "q", False),
        ("%s = " + CLONE.format("%p", "s"), "p", "s", False),
        (CALL + "%s = " + CLONE.format("%r#0", "s"), "s", "p", True),
        (CALL + "%s = " + CLONE.format("%r#0", "s"), "s", "inner", True),
        (CALL + "%s = " + CLONE.format("%r#0", "s"), "s", "q", False),
        (CALL + "%s = " + CLONE.format("%r#1", "s"), "s", "q", True),
        (CALL, "inner", "p", True),
        (LOOP, "s", "p", True),
        (LOOP, "s", "s", True),
        (LOOP, "t", "s", True),
        (LOOP, "s", "q", False),
        (BRANCHES, "s", "p", True),
        (BRANCHES, "s", "s", True),
        (BRANCHES, "s", "q", False),
        (GLOBALS.replace("NAME", "kept"), "x", "p", True),
        (GLOBALS.replace("NAME", "other"), "x", "p", False),
    ],
)
def test_what_is_made_of_what(
    ask: Ask, body: str, later: str, earlier: str, expected: bool
) -> None:
    program = program_of(ask, TEXT.replace("BODY", body + END))
    assert needs(program, later, earlier) is expected
