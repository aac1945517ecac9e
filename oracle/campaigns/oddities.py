"""Programs that were not judged, or not wholly: the first of each kind, kept with the reason why.

`OUT/unsupported/KIND/`, `OUT/invalid/KIND/` and `OUT/mishap/KIND/` hold `program.mlir` and
`why.json` each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from oracle.campaigns.counts import Oddity
from oracle.campaigns.findings import write_folder
from oracle.examination import Examination
from oracle.signature import file_name, of_message
from oracle.verdict import Mishap

_PLACE = re.compile(r" at (?:line \d+|\S+)(?: in @\S+)?(?=: )")
"""Where in the program a construct stands, as `oracle.reading` says it."""

_FUNCTION = re.compile(r'^ *File ".*", line \d+, in <?(\w+)', re.MULTILINE)
"""The functions of a traceback."""

WORDS = {"unsupported": "construct", "invalid": "refused", "mishap": "went_wrong"}
"""What an oddity's words are called where it is written down, by its kind."""


@dataclass(frozen=True, slots=True)
class OddProgram:
    """An oddity of program number `index`, and what was said. The program's text comes with the
    first of its kind in a lane, later ones leave it out."""

    oddity: Oddity
    index: int
    said: str
    text: str | None = None


def oddities(examination: Examination) -> Iterator[tuple[Oddity, str]]:
    """What kept a program, or a check, from being judged, each kind once, and what was said."""
    for check, mishap in examination.mishaps:
        yield of_mishap(mishap, check)
    if examination.invalid is not None:
        yield Oddity("invalid", "", of_message(examination.invalid)), examination.invalid
        return
    found: dict[Oddity, str] = {}
    for judgement in examination.judgements:
        for said in judgement.unsupported:
            words = of_message(_PLACE.sub("", said))
            found.setdefault(Oddity("unsupported", judgement.check, words), said)
    yield from found.items()


def of_mishap(mishap: Mishap, check: str = "") -> tuple[Oddity, str]:
    """What went wrong on our side, by the function that it came from, and all that was said."""
    words = of_message(mishap.line)
    functions = _FUNCTION.findall(mishap.trace)
    return Oddity("mishap", check, "-in-".join((words, *functions[-1:]))), mishap.trace


def keep(out: Path, odd: OddProgram, facts: Mapping[str, object], run: str) -> str:
    """Writes the program's folder, unless there is one of its kind, and returns the folder's name
    below `out`. Raises OSError."""
    oddity = odd.oddity
    assert odd.text is not None, "the first of a kind carries its program"
    name = file_name("/".join(filter(None, (oddity.check, oddity.words))))
    why = {
        "kind": oddity.kind,
        "check": oddity.check or None,
        WORDS[oddity.kind]: oddity.words,
        "said": odd.said,
        "first_seed": odd.index,
        **facts,
        "run": run,
    }
    folder = out / oddity.kind / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    files = {"program.mlir": odd.text, "why.json": json.dumps(why, indent=2) + "\n"}
    write_folder(folder, files, run)
    return f"{oddity.kind}/{name}"
