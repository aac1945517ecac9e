"""The corpus: programs with a known answer, one readable `.mlir` file each.

A file opens with `// RUN:` lines, then `// key: value` lines, then the program. `corpus/known/`
holds faults of the compiler that still show on some release; a finding with the signature of one
of its entries is `known`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

REQUIRED_KEYS = ("id", "signature", "check", "verdict", "guilty-pass", "affects", "issue")

_EFFECTS = ("shows", "not", "unparsed")

_HEADER_LINE = re.compile(r"//\s*(?P<key>[a-z-]+):\s*(?P<value>.*?)\s*$")


class CorpusError(Exception):
    """An entry that cannot be used; the message names the file and says what to mend."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One corpus file. `affects` is what it does on each release: `shows`, `not`, or `unparsed`
    where the program has something that the release does not know."""

    path: Path
    identity: str
    signature: str
    header: dict[str, str]
    affects: dict[str, str]
    program: str


def default_corpus() -> Path:
    """The corpus that came with this installation."""
    return Path(__file__).resolve().parent.parent / "corpus"


def load_known(corpus: Path) -> dict[str, Entry]:
    """The entries of `corpus/known/` by signature.

    Raises CorpusError for a file without a usable header and for two entries with one signature.
    """
    if not (corpus / "known").is_dir():
        raise CorpusError(f"{corpus} has no folder known/: name the folder that holds known/")
    known: dict[str, Entry] = {}
    for path in sorted((corpus / "known").glob("*.mlir")):
        entry = load_entry(path)
        other = known.get(entry.signature)
        if other is not None:
            raise CorpusError(
                f"{path} and {other.path} both have the signature {entry.signature}: "
                "keep the smaller program"
            )
        known[entry.signature] = entry
    return known


def load_entry(path: Path) -> Entry:
    """One entry from its file. Raises CorpusError when its header is not usable."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path}: {error}") from error
    header: dict[str, str] = {}
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
            header.setdefault(match["key"], match["value"])
    missing = [key for key in REQUIRED_KEYS if not header.get(key)]
    if missing:
        raise CorpusError(f"{path}: the header has no {', '.join(missing)}")
    return Entry(
        path=path,
        identity=header["id"],
        signature=header["signature"],
        header=header,
        affects=_affects(path, header["affects"]),
        program="".join(lines[body:]),
    )


def _affects(path: Path, text: str) -> dict[str, str]:
    """`3.11.0 shows, 3.12.0 not` as a mapping."""
    releases: dict[str, str] = {}
    for item in text.split(","):
        words = item.split()
        if len(words) != 2 or words[1] not in _EFFECTS:
            raise CorpusError(
                f"{path}: affects: `{item.strip()}` is not a release and {' or '.join(_EFFECTS)}"
            )
        releases[words[0]] = words[1]
    return releases
