"""From a finding's folder to a corpus entry."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from oracle.campaigns.candidates import recorded
from oracle.commands.triage import triage
from oracle.corpus import load_entry, load_known

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
SIGNATURE = (
    "accept/verify-lowering-to-async/"
    "stream.async.transfer-op-streamable-op-expected-to-be-in-an-execution-region"
)


def finding(out: Path, name: str, signature: str, text: str, state: str = "new") -> Path:
    folder = out / "findings" / name
    folder.mkdir(parents=True)
    (folder / "program.mlir").write_text(text)
    verdict = {"signature": signature, "check": signature.partition("/")[0], "state": state}
    (folder / "verdict.json").write_text(json.dumps(verdict))
    return folder


def test_a_finding_becomes_an_entry_that_the_corpus_can_take(tmp_path: Path) -> None:
    known = load_known(CORPUS)[SIGNATURE]
    # A needless op more than the entry has.
    text = known.program.replace(
        "    util.return", "    %more = arith.addi %v6, %v6 : index\n    util.return"
    )
    assert text != known.program
    finding(tmp_path, "one", SIGNATURE, text)
    result = CliRunner().invoke(triage, [str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "stock tools agree" in result.output
    (file,) = (tmp_path / "candidates").glob("*.mlir")
    entry = load_entry(file)
    assert entry.signature == SIGNATURE
    assert set(entry.affects.values()) == {"shows"}
    assert "arith.addi" not in entry.program
    assert file.read_text().startswith("// RUN: not iree-opt ")
    assert "// CHECK: error: " in file.read_text()


def test_what_does_not_show_again_is_said(tmp_path: Path) -> None:
    finding(tmp_path, "one", SIGNATURE, "util.func public @f() {\n  util.return\n}\n")
    result = CliRunner().invoke(triage, [str(tmp_path)])
    assert "does not show again" in result.output


def test_damaged_and_known_findings_are_left_out(tmp_path: Path) -> None:
    damaged = finding(tmp_path, "damaged", SIGNATURE, "")
    (damaged / "verdict.json").write_text("{")
    finding(tmp_path, "known", SIGNATURE, "", state="known")
    assert [one.folder.name for one in recorded(tmp_path)] == ["known"]
    result = CliRunner().invoke(triage, [str(tmp_path)])
    assert result.exit_code == 0
    assert "1 finding, all known" in result.output
    assert f"damaged, and left out: {damaged}" in result.output
