"""The corpus: its entries load, and what cannot be used is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracle.checks import CHECKS
from oracle.corpus import CorpusError, default_corpus, load_entry, load_known
from oracle.verdict import Verdict

HEADER = {
    "id": "two-barriers",
    "signature": "accept/schedule-execution/cycle",
    "check": "accept",
    "verdict": "rejected",
    "guilty-pass": "iree-stream-schedule-execution",
    "affects": "3.9.0 unparsed, 3.11.0 not, 3.12.0 shows",
    "issue": "unreported",
}


def entry(folder: Path, name: str = "one.mlir", **changes: str | None) -> Path:
    """An entry's file; a key changed to None is left out."""
    header = HEADER | {key.replace("_", "-"): value for key, value in changes.items()}
    lines = ["// RUN: iree-opt %s | FileCheck %s", "// CHECK: util.func"]
    lines += [f"// {key}: {value}" for key, value in header.items() if value is not None]
    path = folder / "known" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([*lines, "", "module {", "  // id: not of the header", "}", ""]))
    return path


def test_an_entry_is_read(tmp_path: Path) -> None:
    read = load_entry(entry(tmp_path))
    assert read.identity == "two-barriers"
    assert read.signature == "accept/schedule-execution/cycle"
    assert read.affects == {"3.11.0": "not", "3.12.0": "shows", "3.9.0": "unparsed"}
    assert read.header["issue"] == "unreported"
    assert read.program.strip().startswith("module {")
    assert "RUN" not in read.program


@pytest.mark.parametrize("key", HEADER)
def test_a_missing_key_is_named_with_its_file(tmp_path: Path, key: str) -> None:
    path = entry(tmp_path, **{key: None})
    with pytest.raises(CorpusError, match=f"one.mlir: the header has no {key}"):
        load_entry(path)


def test_an_empty_key_is_missing(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no issue"):
        load_entry(entry(tmp_path, issue=""))


@pytest.mark.parametrize("affects", ["3.11.0", "3.11.0 maybe", "3.11.0 shows,", "yes"])
def test_affects_that_cannot_be_read(tmp_path: Path, affects: str) -> None:
    with pytest.raises(CorpusError, match=r"one\.mlir: affects: .* is not"):
        load_entry(entry(tmp_path, affects=affects))


def test_two_entries_of_one_signature_are_both_named(tmp_path: Path) -> None:
    entry(tmp_path)
    entry(tmp_path, "two.mlir")
    with pytest.raises(CorpusError, match=r"two\.mlir and .*one\.mlir both have the signature"):
        load_known(tmp_path)


def test_entries_by_signature(tmp_path: Path) -> None:
    entry(tmp_path)
    entry(tmp_path, "two.mlir", signature="another")
    (tmp_path / "known" / "README.md").write_text("not an entry")
    assert set(load_known(tmp_path)) == {HEADER["signature"], "another"}


def test_files_that_are_no_text_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "binary.mlir"
    path.write_bytes(b"\xff\xfe\x00")
    for file in (path, tmp_path / "missing.mlir"):
        with pytest.raises(CorpusError, match=file.name):
            load_entry(file)


def test_a_corpus_without_known_entries(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="has no folder known/"):
        load_known(tmp_path)
    (tmp_path / "known").mkdir()
    assert load_known(tmp_path) == {}


def test_the_corpus_that_comes_along_is_usable() -> None:
    verdicts = {verdict.value for verdict in Verdict}
    for signature, one in load_known(default_corpus()).items():
        assert one.header["check"] in CHECKS, one.path
        assert signature.startswith(f"{one.header['check']}/"), one.path
        assert one.header["verdict"] in verdicts, one.path
        assert one.path.read_text(encoding="utf-8").startswith("// RUN:"), one.path
        assert one.program.strip(), one.path
        assert "shows" in one.affects.values(), f"{one.path} shows nowhere: it belongs into fixed/"
