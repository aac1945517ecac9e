"""Which functions of a module are programs of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from samples import Ask

from oracle.commands.check import check
from oracle.reading.components import components

SHARED = """
util.global private @device : !hal.device
util.global private mutable @state : !stream.resource<variable>
stream.executable private @ex {
}
"""
LEAF = "util.func private @leaf() {\n  util.return\n}\n"
CALLER = "util.func public @caller() {\n  util.call @leaf() : () -> ()\n  util.return\n}\n"
ALONE = "util.func public @alone() {\n  util.return\n}\n"
DECLARED = "util.func private @declared()\n"
READER = """util.func public @reader() -> !stream.resource<variable> {
  %state = util.global.load @state : !stream.resource<variable>
  util.return %state : !stream.resource<variable>
}
"""
INITIALIZER = """util.initializer {
  %c8 = arith.constant 8 : index
  %c0_i8 = arith.constant 0 : i8
  %state = stream.async.splat %c0_i8 : i8 -> !stream.resource<variable>{%c8}
  util.global.store %state, @state : !stream.resource<variable>
  util.return
}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ALONE, [("alone",)]),
        (LEAF + ALONE, [("leaf",), ("alone",)]),
        (LEAF + ALONE + CALLER, [("leaf", "caller"), ("alone",)]),
        (DECLARED + ALONE, [("alone",)]),
        (INITIALIZER + ALONE + READER, [("reader",), ("alone",)]),
        ("", []),
    ],
)
def test_functions_that_name_each_other_belong_together(
    ask: Ask, text: str, expected: list[tuple[str, ...]]
) -> None:
    (raw,) = ask(SHARED + text, ["read"])
    assert sorted(part.functions for part in components(raw)) == sorted(expected)


def test_a_component_keeps_all_that_it_needs(ask: Ask) -> None:
    text = SHARED + INITIALIZER + ALONE + READER
    (raw,) = ask(text, ["read"])
    (part,) = (one for one in components(raw) if one.functions == ("reader",))
    _, printed = ask(text, ["keep", list(part.positions)], ["print", False])
    assert "@alone" not in str(printed)
    for kept in ("util.initializer", "@state", "@device", "@ex"):
        assert kept in str(printed)


def test_what_the_model_does_not_know_leaves_the_rest_to_be_checked(tmp_path: Path) -> None:
    file = tmp_path / "input.mlir"
    unknown = ALONE.replace("@alone()", "@unknown(%x: vector<4xf32>) -> vector<4xf32>").replace(
        "util.return", "%y = math.exp %x : vector<4xf32>\n  util.return %y : vector<4xf32>"
    )
    file.write_text(f"{SHARED}{unknown}{ALONE}// -----\n{LEAF}")
    result = CliRunner().invoke(check, [str(file), "--checks", "placement"])
    assert result.exit_code == 0, result.output
    assert "3 programs in 1 file, " in result.output
