"""Programs that were not judged, or not wholly: the first of each kind, kept with the reason why.

`OUT/unsupported/KIND/` and `OUT/invalid/KIND/` hold `program.mlir` and `why.json` each.
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

_PLACE = re.compile(r" at (?:line \d+|\S+)(?: in @\S+)?(?=: )")
"""Where in the program a construct stands, as `oracle.reading` says it."""


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
    if examination.invalid is not None:
        yield Oddity("invalid", "", of_message(examination.invalid)), examination.invalid
        return
    found: dict[Oddity, str] = {}
    for judgement in examination.judgements:
        for said in judgement.unsupported:
            words = of_message(_PLACE.sub("", said))
            found.setdefault(Oddity("unsupported", judgement.check, words), said)
    yield from found.items()


def keep(out: Path, odd: OddProgram, facts: Mapping[str, object], run: str) -> str:
    """Writes the program's folder, unless there is one of its kind, and returns the folder's name
    below `out`. Raises OSError."""
    oddity = odd.oddity
    assert odd.text is not None, "the first of a kind carries its program"
    name = file_name("/".join(filter(None, (oddity.check, oddity.words))))
    why = {
        "kind": oddity.kind,
        "check": oddity.check or None,
        "construct" if oddity.kind == "unsupported" else "refused": oddity.words,
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
