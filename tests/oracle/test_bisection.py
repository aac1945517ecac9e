"""Which compilers show a finding: tables of effects."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from oracle.corpus import default_corpus, load_entry
from oracle.premerge.bisection import Answered, Column, Row, as_json, corpus_rows, rows

CROSSCURRENT = Path(sys.executable).parent / "crosscurrent"
KNOWN = default_corpus() / "known"


@pytest.mark.parametrize(
    ("effects", "shows", "gone"),
    [
        (("not", "shows", "shows"), 1, 0),
        (("shows", "shows", "not"), 0, 2),
        (("unparsed", "shows", "not"), 1, 2),
        (("not", "shows", "not"), 1, 2),
        ((None, "unanswered", "shows"), 2, None),
        (("shows",) * 3, 0, None),
        ((None,) * 3, None, None),
    ],
)
def test_the_first_that_shows_it_and_the_first_that_does_not(
    effects: tuple[str | None, ...], shows: int | None, gone: int | None
) -> None:
    row = Row("a", effects)
    assert (row.first_shows, row.first_not) == (shows, gone)


def test_a_row_for_each_finding() -> None:
    asked = frozenset({"accept", "value"})
    found = [
        Answered(refusal="unknown op"),
        None,
        Answered(("accept/x",), ("crash",), frozenset({"accept"})),
        Answered(("value/y",), ("wrong-value",), asked),
    ]
    assert rows(found) == [
        Row("accept/x", ("unparsed", None, "shows", "not")),
        Row("value/y", ("unparsed", None, "unanswered", "shows")),
    ]


def test_compilers_that_cannot_run_are_in_the_table_with_the_reason() -> None:
    entries = [load_entry(path) for path in sorted(KNOWN.glob("*.mlir"))[:2]]
    table, columns = corpus_rows(entries, [Column("9.9.9", why="no such release")], 1, print)
    told = as_json("corpus", columns, table)
    assert [row["effects"] for row in told["rows"]] == [[None], [None]]
    assert told["compilers"][0] == {
        "spec": "9.9.9", "release": None, "revision": None, "runs": False,
        "why": "no such release",
    }  # fmt: skip


def bisect(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(CROSSCURRENT), "bisect", *arguments],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


def test_a_file(tmp_path: Path) -> None:
    pytest.importorskip("iree.compiler")
    file = next(KNOWN.glob("region-of-nothing-but-a-barrier*.mlir"))
    entry, made = load_entry(file), tmp_path / "table.json"
    done = bisect(
        str(file), "--compilers", "no/such/one,installed", "--json", str(made),
        "--checks", f"accept,{entry.check}",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "no/such/one: cannot run: no/such/one is not" in done.stdout
    told = json.loads(made.read_text())
    (row,) = (one for one in told["rows"] if one["signature"] == entry.signature)
    assert row["effects"] == [None, "shows"]
    assert row["first_shows"] == "installed"


def test_the_corpus(tmp_path: Path) -> None:
    pytest.importorskip("iree.compiler")
    (tmp_path / "corpus" / "known").mkdir(parents=True)
    file = next(KNOWN.glob("region-of-nothing-but-a-barrier*.mlir"))
    (tmp_path / "corpus" / "known" / file.name).write_text(file.read_text())
    made = tmp_path / "table.json"
    done = bisect(
        "--corpus", "--corpus-dir", str(tmp_path / "corpus"), "--compilers", "installed",
        "--json", str(made),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "installed: 1 shows (1 of 1 show)" in done.stdout
    assert [row["effects"] for row in json.loads(made.read_text())["rows"]] == [["shows"]]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "give a FILE, or --corpus"),
        (("no/such/file", "--compilers", "installed,installed"), 2, "No such file"),
        ((str(CROSSCURRENT), "--compilers", "no/one,no/two"), 3, "none of the compilers can run"),
        ((str(CROSSCURRENT), "--compilers", " , "), 2, "names nothing"),
    ],
)
def test_a_wrong_call(arguments: tuple[str, ...], code: int, said: str) -> None:
    done = bisect(*arguments)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
    assert said in done.stderr
