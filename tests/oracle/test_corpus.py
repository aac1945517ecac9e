"""The corpus: its entries load, and what cannot be used is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracle.corpus import CorpusError, Entry, explained_by, load_entry, load_known, survey

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
    entry(tmp_path, "two.mlir", signature="accept/another")
    (tmp_path / "known" / "README.md").write_text("not an entry")
    assert set(load_known(tmp_path)) == {HEADER["signature"], "accept/another"}


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


def test_a_key_that_is_there_twice_is_named(tmp_path: Path) -> None:
    path = entry(tmp_path)
    path.write_text(path.read_text().replace("// check:", "// check: value\n// check:"))
    with pytest.raises(CorpusError, match=r"one\.mlir: the header says check twice"):
        load_entry(path)


@pytest.mark.parametrize(
    ("shelf", "changes", "problem"),
    [
        ("known", {"signature": "value/other"}, "does not begin with accept/"),
        ("known", {"affects": "3.11.0 not, 3.12.0 not"}, "it has no place in known/"),
        ("known", {"fixed_in": "3.12.0"}, "belongs in fixed/"),
        ("known", {"affects": "3.12.0 shows, 3.12.0 not"}, "3.12.0 is there twice"),
        ("known", {"rules": "newest"}, "newest is not a release"),
        ("fixed", {}, "the header has no fixed-in"),
        ("fixed", {"fixed_in": "soon"}, "soon is not a release"),
        ("fixed", {"fixed_in": "99.0.0"}, "is not out yet"),
        ("fixed", {"fixed_in": "3.12.0"}, "affects says that 3.12.0 shows it"),
        ("agree", {"signature": "agree/accept/x"}, "is not a release and agrees"),
        ("agree", {"affects": "3.12.0 agrees"}, "does not begin with agree/accept/"),
    ],
)
def test_headers_that_cannot_be_true(
    tmp_path: Path, shelf: str, changes: dict[str, str], problem: str
) -> None:
    path = entry(tmp_path, **changes)
    (tmp_path / shelf).mkdir(exist_ok=True)
    moved = path.rename(tmp_path / shelf / "moved.mlir")
    with pytest.raises(CorpusError, match=rf"moved\.mlir: .*{problem}"):
        load_entry(moved)


def test_an_entry_without_a_program(tmp_path: Path) -> None:
    path = entry(tmp_path)
    path.write_text("".join(line for line in path.open() if line.startswith("//")))
    with pytest.raises(CorpusError, match="there is no program"):
        load_entry(path)


def mended(folder: Path) -> Path:
    """An entry of `fixed/`: mended in 3.13."""
    path = entry(folder, fixed_in="3.13.0", affects="3.12.0 shows, 3.13.0 not")
    (folder / "fixed").mkdir()
    return path.rename(folder / "fixed" / "one.mlir")


@pytest.mark.parametrize(
    ("release", "known"),
    [(None, False), ("3.11.0", True), ("3.12.1", True), ("3.13.0rc1", False), ("3.14.0", False)],
)
def test_what_is_mended_is_known_only_before(
    tmp_path: Path, release: str | None, known: bool
) -> None:
    mended(tmp_path)
    assert (HEADER["signature"] in load_known(tmp_path, release)) == known


def test_a_survey_names_what_is_wrong_and_keeps_the_rest(tmp_path: Path) -> None:
    mended(tmp_path)
    entry(tmp_path, "good.mlir", signature="accept/good")
    entry(tmp_path, "same.mlir", signature="accept/good")
    (tmp_path / "known" / "damaged.mlir").write_bytes(b"// id: x\n\xff\xfe")
    found = survey(tmp_path)
    assert [one.path.name for one in found.entries] == ["good.mlir", "one.mlir"]
    assert len(found.problems) == 2
    assert "damaged.mlir" in found.problems[0]
    assert "same.mlir" in found.problems[1]
    assert "good.mlir" in found.problems[1]


def test_a_folder_that_is_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="is no corpus"):
        survey(tmp_path)


def test_a_crash_whose_stack_is_lost_is_one_of_those_that_are_known_there() -> None:
    first, second, other = (
        Entry(Path(identity), identity, f"accept/{place}", {}, {}, "")
        for identity, place in (
            ("first", "a-pass/crash/SIGSEGV/Some.where"),
            ("second", "a-pass/crash/SIGSEGV/Else.where"),
            ("other", "b-pass/types-differ"),
        )
    )
    known = {entry.signature: entry for entry in (first, second, other)}
    explained = explained_by(known)
    assert explained.pop("accept/a-pass/crash/SIGSEGV") is first
    assert explained == known
    placeless = Entry(Path(), "placeless", "accept/a-pass/crash/SIGSEGV", {}, {}, "")
    told = explained_by({**known, placeless.signature: placeless})
    assert told[placeless.signature] is placeless
