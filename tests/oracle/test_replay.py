"""`crosscurrent replay`: what holds, what drifted and what cannot be used is told apart."""

from __future__ import annotations

import importlib.metadata
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from oracle.commands.replay import replay
from oracle.compiling.stock import StockTools
from oracle.corpus import default_corpus
from oracle.replay import RunLineError, run_line

RELEASE = importlib.metadata.version("iree-base-compiler")
HERE = re.compile(rf"{re.escape(RELEASE)} \w+")

KNOWN = "known/explicit-on-of-a-transfer-on-one-device-is-lost-when-it-beco.mlir"
FIXED = "fixed/what-is-pinned-to-one-device-is-written-by-another.mlir"
AGREE = "agree/fold-there-and-back.mlir"

pytestmark = pytest.mark.skipif(RELEASE < "3.12", reason="the entries are about later releases")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus of three entries, one a shelf, all of which hold."""
    for name in (KNOWN, FIXED, AGREE):
        (tmp_path / name).parent.mkdir()
        shutil.copy(default_corpus() / name, tmp_path / name)
    return tmp_path


def run(corpus: Path, *arguments: str) -> Result:
    result = CliRunner().invoke(replay, [str(corpus), *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


def told(corpus: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    *entries, summary = map(json.loads, run(corpus, "--json").stdout.splitlines())
    return entries, summary


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_what_shows_by_chance_may_show_or_not(corpus: Path) -> None:
    for name in (KNOWN, FIXED):
        path = corpus / name
        path.write_text(HERE.sub(f"{RELEASE} sometimes", path.read_text(), count=1))
    assert run(corpus).stdout == f"3 entries on IREE {RELEASE}: 3 holds\n"


def test_a_corpus_that_holds(corpus: Path) -> None:
    result = run(corpus)
    assert result.exit_code == 0
    assert result.stdout == f"3 entries on IREE {RELEASE}: 3 holds\n"


def test_json_says_of_each_entry_what_it_did(corpus: Path) -> None:
    entries, summary = told(corpus)
    assert [(one["shelf"], one["effect"], one["standing"]) for one in entries] == [
        ("known", "shows", "holds"), ("agree", "agrees", "holds"), ("fixed", "not", "holds"),
    ]  # fmt: skip
    assert summary["compiler"]["release"] == RELEASE
    assert (summary["entries"], summary["holds"], summary["problems"]) == (3, 3, 0)


def test_a_known_fault_that_does_not_show_says_what_to_do(corpus: Path) -> None:
    edit(corpus / KNOWN, "on(#hal.device.affinity<@dev_b>) %", "%")
    result = run(corpus)
    assert result.exit_code == 1
    assert f"drifted: {corpus / KNOWN}" in result.stdout
    assert f"the header says `{RELEASE} shows`, but there it does not" in result.stdout
    assert f"move the file to corpus/fixed/ with `fixed-in: {RELEASE}`" in result.stdout
    assert "2 holds, 1 drifted" in result.stdout


def test_a_fault_under_another_signature_is_named(corpus: Path) -> None:
    edit(corpus / KNOWN, "// signature: execution/", "// signature: execution/other/")
    result = run(corpus)
    assert result.exit_code == 1
    assert "it shows execution/canonicalize/lost" in result.stdout


def test_a_known_fault_that_shows_where_it_should_not(corpus: Path) -> None:
    path = corpus / KNOWN
    path.write_text(HERE.sub(f"{RELEASE} not", path.read_text(), count=1))
    result = run(corpus)
    assert result.exit_code == 1
    assert "but there it shows" in result.stdout
    assert f"say `{RELEASE} shows` under affects" in result.stdout


def test_a_release_that_no_header_names_is_no_error(corpus: Path) -> None:
    edit(corpus / KNOWN, f", {RELEASE} shows", "")
    result = run(corpus)
    assert result.exit_code == 0
    assert f"affects: add `{RELEASE} shows`" in result.stdout
    assert "2 holds, 1 unnamed" in result.stdout


def test_a_mended_fault_that_is_back_is_told(corpus: Path) -> None:
    shutil.copy(corpus / KNOWN, corpus / FIXED)
    path = corpus / FIXED
    path.write_text(re.sub(r"// affects: .*", "// affects: 3.10.0 shows", path.read_text()))
    edit(path, "// affects:", "// fixed-in: 3.11.0\n// affects:")
    (corpus / KNOWN).unlink()
    result = run(corpus)
    assert result.exit_code == 1
    assert f"it is back: fixed in 3.11.0, and {RELEASE} shows it" in result.stdout


def test_a_recorded_answer_that_is_another(corpus: Path) -> None:
    edit(corpus / AGREE, "// CHECK: util.return %[[X]]", "// CHECK: stream.async.transfer")
    result = run(corpus)
    assert result.exit_code == 1
    assert "the recorded answer is another" in result.stdout


def test_what_cannot_be_used_is_named_and_the_rest_runs(corpus: Path) -> None:
    (corpus / "known" / "damaged.mlir").write_bytes(b"\xff\xfe")
    (corpus / "known" / "headless.mlir").write_text("// RUN: iree-opt %s\nmodule {}\n")
    shutil.copy(corpus / KNOWN, corpus / "known" / "zz-twice.mlir")
    result = run(corpus)
    assert result.exit_code == 2
    for name in ("damaged.mlir", "headless.mlir", "zz-twice.mlir"):
        assert name in result.stdout
    assert "3 holds, 3 problems with files" in result.stdout


def test_a_finding_matters_more_than_a_damaged_file(corpus: Path) -> None:
    (corpus / "known" / "damaged.mlir").write_bytes(b"\xff\xfe")
    edit(corpus / AGREE, "// CHECK: util.return %[[X]]", "// CHECK: stream.async.transfer")
    assert run(corpus).exit_code == 1


def test_an_entry_that_cannot_be_asked_about_stops_no_other(corpus: Path) -> None:
    edit(corpus / AGREE, "iree-opt --canonicalize %s | filecheck %s", "rm %s")
    edit(corpus / KNOWN, "// check: execution", "// check: nothing")
    edit(corpus / KNOWN, "// signature: execution/", "// signature: nothing/")
    result = run(corpus)
    assert result.exit_code == 2
    assert "there is no check nothing" in result.stdout
    assert "not of the form" in result.stdout
    assert (corpus / AGREE).exists()


def test_folders_that_are_no_corpus(tmp_path: Path) -> None:
    assert "is no corpus" in run(tmp_path).output
    (tmp_path / "known").mkdir()
    result = run(tmp_path)
    assert (result.exit_code, "holds no entry" in result.output) == (2, True)


@pytest.mark.parametrize(
    "line", ["iree-opt %s", "iree-opt | filecheck %s", "sh %s | filecheck %s", "iree-opt 'x %s"]
)
def test_run_lines_of_another_form_are_not_obeyed(corpus: Path, line: str) -> None:
    with pytest.raises(RunLineError, match="RUN: "):
        run_line(line, corpus / AGREE, StockTools(Path("/nowhere")))
