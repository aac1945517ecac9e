"""The corpus: programs with a known answer, one readable `.mlir` file each.

A file opens with `// RUN:` lines, then `// key: value` lines, then the program. The folder it is in
says what it is for:

- `known/`: faults that the newest release still shows. A finding with such a signature is `known`.
- `agree/`: programs whose answers, recorded as FileCheck lines, the compiler and the model share.
- `fixed/`: faults that no supported release shows any more and that must not come back.

IREE mends faults on its main branch only, so a release that is out keeps its faults for ever.
*Supported* are therefore the newest release that the model knows and what comes after it. An entry
of `fixed/` says with `fixed-in` from which release on the fault is gone. On releases before, which
remain good for comparison, a finding with its signature is `known`, from there on it is new.
Where the rules of the faulty release foresee the fault, `rules` names a release whose rules do not.
"""

from __future__ import annotations

import enum
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from reference.releases import RELEASES

REQUIRED_KEYS = ("id", "signature", "check", "verdict", "guilty-pass", "affects", "issue")

SHOWS, SHOWS_NOT, UNPARSED, AGREES = "shows", "not", "unparsed", "agrees"
SOMETIMES = "sometimes"
"""What shows only where work that runs at the same time meets: at one time, and not at another."""

SHOWN = frozenset({SHOWS, SOMETIMES})

_HEADER_LINE = re.compile(r"//\s*(?P<key>[a-z-]+):\s*(?P<value>.*?)\s*$")
_VERSION = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?")

_PLACED_CRASH = re.compile(r"accept/[^/]+/crash/SIG[A-Z]+/[^/]+")


class CorpusError(Exception):
    """An entry that cannot be used; the message names the file and says what to mend."""


class Shelf(enum.StrEnum):
    """A folder of the corpus."""

    KNOWN = "known"
    AGREE = "agree"
    FIXED = "fixed"

    @property
    def effects(self) -> tuple[str, ...]:
        """What `affects` may say of a release. In `agree/`, `not` is a release with other rules."""
        shown = (AGREES,) if self is Shelf.AGREE else (SHOWS, SOMETIMES)
        return (*shown, SHOWS_NOT, UNPARSED)


@dataclass(frozen=True, slots=True)
class Entry:
    """One corpus file. `affects` is what it does on each release: `shows` (in `agree/`: `agrees`),
    `sometimes`, `not`, or `unparsed` where the program has something that the release does not
    know."""

    path: Path
    identity: str
    signature: str
    header: dict[str, str]
    affects: dict[str, str]
    program: str
    shelf: Shelf = Shelf.KNOWN
    runs: tuple[str, ...] = ()
    """The commands of its RUN lines."""

    @property
    def check(self) -> str:
        """The promise that the entry is about."""
        return self.header["check"]

    @property
    def asked_by(self) -> str:
        """The check whose questions run into it: a pass that stops stops several checks."""
        return self.header.get("asked-by", self.check)

    def still_to_come(self, release: str) -> bool:
        """Whether `release` is from before the fault was mended; False for one that was not."""
        mended = self.header.get("fixed-in")
        return mended is not None and numbers(release) < numbers(mended)


@dataclass(frozen=True, slots=True)
class Survey:
    """What a corpus holds: the entries that can be used, and what is wrong with the others."""

    entries: tuple[Entry, ...]
    problems: tuple[str, ...]


def default_corpus() -> Path:
    """The corpus that came with this installation."""
    return Path(__file__).resolve().parent.parent / "corpus"


def load_known(corpus: Path, release: str | None = None) -> dict[str, Entry]:
    """By signature, the entries that explain a finding on `release`: those of `corpus/known/`, and
    those of `corpus/fixed/` that were not fixed yet then.

    Raises CorpusError for a file without a usable header and for two entries with one signature.
    """
    if not (corpus / Shelf.KNOWN).is_dir():
        raise CorpusError(f"{corpus} has no folder known/: name the folder that holds known/")
    known: dict[str, Entry] = {}
    for shelf in (Shelf.KNOWN, Shelf.FIXED):
        for path in _files(corpus, shelf):
            entry = load_entry(path)
            other = known.get(entry.signature)
            if other is not None:
                raise CorpusError(_doubled(entry, other))
            if shelf is Shelf.KNOWN or (release is not None and entry.still_to_come(release)):
                known[entry.signature] = entry
    return known


def explained_by(known: Mapping[str, Entry]) -> dict[str, Entry]:
    """By signature, what entries explain: crashes without a place among them.

    A jump to nowhere leaves no stack, so that nothing tells which of the crashes of its pass it
    is, and the first that is known there stands for all.
    """
    placeless = {
        signature.rpartition("/")[0]: entry
        for signature, entry in reversed([*known.items()])
        if _PLACED_CRASH.fullmatch(signature)
    }
    return {**placeless, **known}


def survey(corpus: Path) -> Survey:
    """All entries of a corpus; what cannot be used is named and left out, the rest stays usable.

    Raises CorpusError for a folder that is no corpus.
    """
    if not any((corpus / shelf).is_dir() for shelf in Shelf):
        told = "/, ".join(Shelf)
        raise CorpusError(f"{corpus} is no corpus: it has none of the folders {told}/")
    entries: dict[str, Entry] = {}
    problems: list[str] = []
    for shelf in Shelf:
        for path in _files(corpus, shelf):
            try:
                entry = load_entry(path)
            except CorpusError as error:
                problems.append(str(error))
                continue
            other = entries.setdefault(entry.signature, entry)
            if other is not entry:
                problems.append(_doubled(entry, other))
    return Survey(tuple(entries.values()), tuple(problems))


def load_entry(path: Path) -> Entry:
    """One entry from its file. Raises CorpusError when its header is not usable."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path}: {error}") from error
    found: list[tuple[str, str]] = []
    runs: list[str] = []
    lines = text.splitlines(keepends=True)
    body = 0
    for number, line in enumerate(lines):
        if not line.startswith("//"):
            if line.strip():
                break
            continue
        body = number + 1
        match = _HEADER_LINE.match(line)
        if match:
            found.append((match["key"], match["value"]))
        elif line.startswith("// RUN:"):
            runs.append(line.removeprefix("// RUN:").strip())
    header = dict(found)
    shelf = next((one for one in Shelf if one.value == path.parent.name), Shelf.KNOWN)
    required = (*REQUIRED_KEYS, "fixed-in") if shelf is Shelf.FIXED else REQUIRED_KEYS
    missing = [key for key in required if not header.get(key)]
    if missing:
        raise CorpusError(f"{path}: the header has no {', '.join(missing)}")
    twice = [key for key, count in Counter(key for key, _ in found).items() if count > 1]
    if twice:
        raise CorpusError(f"{path}: the header says {', '.join(twice)} twice")
    entry = Entry(
        path=path,
        identity=header["id"],
        signature=header["signature"],
        header=header,
        affects=_affects(path, header["affects"], shelf),
        program="".join(lines[body:]),
        shelf=shelf,
        runs=tuple(runs),
    )
    problem = next(_contradictions(entry), None)
    if problem is not None:
        raise CorpusError(f"{path}: {problem}")
    return entry


def numbers(release: str) -> tuple[int, int, int]:
    """A release's version as numbers, for comparison. Raises ValueError."""
    match = _VERSION.match(release)
    if match is None:
        raise ValueError(f"not a release: {release!r}")
    return int(match[1]), int(match[2]), int(match[3] or 0)


def _files(corpus: Path, shelf: Shelf) -> list[Path]:
    return sorted((corpus / shelf).glob("*.mlir"))


def _doubled(entry: Entry, other: Entry) -> str:
    return (
        f"{entry.path} and {other.path} both have the signature {entry.signature}: "
        "keep the smaller program"
    )


def _affects(path: Path, text: str, shelf: Shelf) -> dict[str, str]:
    """`3.11.0 shows, 3.12.0 not` as a mapping."""
    releases: dict[str, str] = {}
    for item in text.split(","):
        words = item.split()
        if len(words) != 2 or words[1] not in shelf.effects or not _VERSION.match(words[0]):
            effects = " or ".join(shelf.effects)
            raise CorpusError(f"{path}: affects: `{item.strip()}` is not a release and {effects}")
        if words[0] in releases:
            raise CorpusError(f"{path}: affects: {words[0]} is there twice")
        releases[words[0]] = words[1]
    return releases


def _contradictions(entry: Entry) -> Iterator[str]:
    """What a header says that cannot be true, and what to do about it."""
    if not _VERSION.match(entry.header.get("rules", "3.0")):
        yield f"rules: {entry.header['rules']} is not a release"
    if not entry.program.strip():
        yield "there is no program behind the header"
    shown = entry.shelf.effects[0]
    start = f"agree/{entry.check}/" if entry.shelf is Shelf.AGREE else f"{entry.check}/"
    if not entry.signature.startswith(start):
        yield f"signature: {entry.signature} does not begin with {start}"
    if {shown, SOMETIMES}.isdisjoint(entry.affects.values()):
        yield f"affects: on no release it {shown}, so it has no place in {entry.shelf}/"
    if entry.shelf is Shelf.FIXED:
        yield from _not_fixed(entry)
    elif entry.shelf is Shelf.KNOWN and "fixed-in" in entry.header:
        yield "fixed-in: an entry that is fixed belongs in fixed/"


def _not_fixed(entry: Entry) -> Iterator[str]:
    mended = entry.header["fixed-in"]
    if not _VERSION.match(mended):
        yield f"fixed-in: {mended} is not a release"
        return
    newest = RELEASES[-1].version
    if numbers(mended) > numbers(f"{newest}.999"):
        yield f"fixed-in: {mended} is not out yet; the newest known release is {newest}"
    for release, effect in entry.affects.items():
        if effect == SHOWS and not entry.still_to_come(release):
            yield f"fixed-in: it says {mended}, but affects says that {release} shows it"
