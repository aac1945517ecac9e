"""What `--seeds PATH…` names: files, folders of files, and diffs, as texts of modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from oracle.files import modules
from oracle.seeds.diffs import DiffError, changes, is_diff
from oracle.seeds.seeds import GivenText

_SUFFIX = ".mlir"


class SeedsError(Exception):
    """Seeds that cannot be read; the message says which, and why."""


@dataclass(frozen=True, slots=True)
class Given:
    """All modules that the paths hold, and what is there only in part, in words."""

    texts: tuple[GivenText, ...]
    notes: tuple[str, ...] = ()


def given(paths: Iterable[Path], tree: Path | None = None) -> Given:
    """The modules in files, in the `.mlir` files of folders, and in diffs.

    `tree` is the repository that a diff is of. Raises SeedsError where a path cannot be read, or
    holds nothing to take.
    """
    texts: list[GivenText] = []
    notes: list[str] = []
    for path in paths:
        before, said = len(texts), len(notes)
        for file in _files(path):
            text = _read(file)
            if is_diff(text):
                _add_diff(file, text, tree, texts, notes)
            else:
                texts += [GivenText(str(file), one.text, one.line) for one in modules(file, text)]
        if len(texts) == before:
            only = "".join(f"\n  {note}" for note in notes[said:])
            raise SeedsError(f"{path} holds no module of the Stream dialect to take{only}")
    return Given(tuple(dict.fromkeys(texts)), tuple(notes))


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    yield from sorted(path.rglob(f"*{_SUFFIX}"))


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise SeedsError(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SeedsError(f"{file} is not UTF-8 text") from None


def _add_diff(
    file: Path, text: str, tree: Path | None, texts: list[GivenText], notes: list[str]
) -> None:
    try:
        found = changes(text, tree)
    except DiffError as error:
        raise SeedsError(f"{file}: {error}") from None
    notes += found.notes
    texts += [GivenText(one.path, one.text, one.line, one.functions) for one in found.modules]
