"""The modules that a unified diff adds or changes, as far as they can be told from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from unidiff import Hunk, PatchedFile, PatchSet
from unidiff.errors import UnidiffParseError

from oracle.seeds.items import Item, Line, items

_SPLIT = re.compile(r"// -----")
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)")
_FILE = re.compile(r"diff --git |--- |\+\+\+ |index |new file mode|deleted file mode|similarity ")
_DIFF = re.compile(r"^--- .*\n\+\+\+ .*\n@@ -\d", re.MULTILINE)
_SUFFIX = ".mlir"


class DiffError(Exception):
    """A diff that cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class ChangedModule:
    """A module of a changed file: its text, the line of the file at which that starts, and the
    functions in it that the change is of, None for all."""

    path: str
    text: str
    line: int
    functions: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Changes:
    """What a diff holds: modules, and what it has only parts of, in words."""

    modules: tuple[ChangedModule, ...]
    notes: tuple[str, ...]


def is_diff(text: str) -> bool:
    """Whether a text is a unified diff, whatever stands before it."""
    return _DIFF.search(text) is not None


def changes(text: str, tree: Path | None = None) -> Changes:
    """The modules of `.mlir` files that a diff adds or changes.

    `tree` is the repository before or after the change, which has the files whole. Without it a
    hunk has to hold all of a function. Raises DiffError.
    """
    modules: list[ChangedModule] = []
    notes: list[str] = []
    for file in _parsed(text):
        if not file.path.endswith(_SUFFIX) or file.is_removed_file:
            continue
        whole = _new_lines(file)
        if whole is None and tree is not None:
            whole = _from_tree(file, tree, notes)
        if whole is not None:
            modules += _modules(file.path, whole, None, notes)
            continue
        for hunk in file:
            modules += _modules(file.path, _hunk_lines(hunk), hunk.section_header, notes)
    return Changes(tuple(modules), tuple(notes))


def _parsed(text: str) -> PatchSet:
    try:
        return PatchSet(text)
    except UnidiffParseError:
        pass  # It may have been through something that trims lines.
    try:
        return PatchSet(_mended(text))
    except UnidiffParseError as error:
        raise DiffError(f"it is no unified diff: {error}") from None


def _mended(text: str) -> str:
    """A diff of which blanks at the start of lines and empty lines were lost, as mails and web
    forms lose them: what has no mark is context, and hunks are as long as they are."""
    made: list[str] = []
    head: tuple[int, re.Match[str]] | None = None
    for line in text.splitlines():
        found = _HUNK.match(line)
        if found is None and _FILE.match(line):
            # Between files; a line of a hunk that looks like it is not told apart.
            _close(made, head)
            head = None
            made.append(line)
        elif found is not None:
            _close(made, head)
            head = len(made), found
            made.append("")
        elif head is None or line[:1] in ("+", "-", " ", "\\"):
            made.append(line)
        else:
            made.append(f" {line}")
    _close(made, head)
    return "\n".join(made) + "\n"


def _close(made: list[str], head: tuple[int, re.Match[str]] | None) -> None:
    """Writes the head of a hunk whose lines are known."""
    if head is None:
        return
    place, found = head
    marks = [line[0] for line in made[place + 1 :]]
    before = sum(mark in " -" for mark in marks)
    after = sum(mark in " +" for mark in marks)
    made[place] = f"@@ -{found[1]},{before} +{found[2]},{after} @@{found[3]}"


def _new_lines(file: PatchedFile) -> list[Line] | None:
    """All lines of a file that the diff adds."""
    if not file.is_added_file:
        return None
    return [line for hunk in file for line in _hunk_lines(hunk)]


def _hunk_lines(hunk: Hunk) -> list[Line]:
    """The lines of a hunk as they are after the change."""
    found: list[Line] = []
    removed = False
    number = max(int(hunk.target_start), 1)
    for line in hunk:
        if line.is_removed:
            removed = True
        elif line.is_added or line.is_context:
            text = str(line.value).rstrip("\r\n")
            found.append(Line(number, text, line.is_added or removed))
            removed = False
            number += 1
    return found


def _from_tree(file: PatchedFile, tree: Path, notes: list[str]) -> list[Line] | None:
    """The whole file after the change, from a tree that has it as it was before or is after."""
    path = tree / file.path
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        notes.append(f"{path} cannot be read ({error}): only what the hunks hold is known")
        return None
    after = _as_it_is(file, lines)
    if after is None:
        after = _patched(file, lines)
    if after is None:
        notes.append(
            f"{path} is neither as before nor as after the change: only what the hunks hold is "
            "known"
        )
    return after


def _as_it_is(file: PatchedFile, lines: Sequence[str]) -> list[Line] | None:
    touched: set[int] = set()
    for hunk in file:
        for line in _hunk_lines(hunk):
            if line.number > len(lines) or lines[line.number - 1] != line.text:
                return None
            if line.touched:
                touched.add(line.number)
    return [Line(number, text, number in touched) for number, text in enumerate(lines, 1)]


def _patched(file: PatchedFile, lines: Sequence[str]) -> list[Line] | None:
    made: list[tuple[str, bool]] = []
    done = 0
    for hunk in file:
        start = max(int(hunk.source_start) - 1, 0)
        old = [str(line.value).rstrip("\r\n") for line in hunk if not line.is_added]
        if list(lines[start : start + len(old)]) != old:
            return None
        made += [(text, False) for text in lines[done:start]]
        made += [(line.text, line.touched) for line in _hunk_lines(hunk)]
        done = start + len(old)
    made += [(text, False) for text in lines[done:]]
    return [Line(number, text, touched) for number, (text, touched) in enumerate(made, 1)]


def _modules(
    path: str, lines: list[Line], around: str | None, notes: list[str]
) -> Iterator[ChangedModule]:
    """The modules in lines of a file that the change is of. `around` is what git says that a hunk
    begins in, None for a whole file."""
    for number, part in enumerate(_split(lines)):
        if not any(line.touched for line in part):
            continue
        found = list(items(part, around if number == 0 else None))
        kept = found
        if around is not None:
            notes += [_said(path, item) for item in found if not item.whole and item.touched]
            kept = [item for item in found if item.whole]
        functions = [item for item in kept if item.function is not None]
        changed = tuple(str(item.function) for item in functions if item.touched)
        outside = any(item.touched for item in kept if item.function is None)
        if functions and (changed or outside):
            text = _text(part, kept if len(kept) < len(found) else None)
            yield ChangedModule(path, text, part[0].number, changed or None)


def _said(path: str, item: Item) -> str:
    name = "an op that is no function" if item.function is None else f"@{item.function}"
    return (
        f"{path}:{item.lines[0].number}: {name} is there only in part: name the repository, too "
        "(--seeds-tree)"
    )


def _split(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines of each module of a file, split as MLIR's tools do."""
    parts: list[list[Line]] = [[]]
    for line in lines:
        if _SPLIT.match(line.text):
            parts.append([])
        else:
            parts[-1].append(line)
    return [part for part in parts if part]


def _text(part: Sequence[Line], kept: Sequence[Item] | None) -> str:
    """A module's lines; where only some of it is `kept`, blank ones for all else."""
    if kept is None:
        return "\n".join(line.text for line in part)
    numbers = {line.number for item in kept for line in item.lines}
    return "\n".join(line.text if line.number in numbers else "" for line in part)
