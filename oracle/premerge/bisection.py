"""Which compilers show a finding, in the order in which they are named; for one file, or for every
entry of the corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from oracle.corpus import SHOWS, SHOWS_NOT, UNPARSED, Entry
from oracle.examiner import ExaminerError
from oracle.premerge.programs import Offered
from oracle.premerge.side import Side, SideSettings, holds
from oracle.replay import Replay

UNANSWERED = "unanswered"
"""The compiler stopped before it came to the finding, or the model has no answer there."""

_TRIES = 6
"""How often a fault that shows by chance is looked for."""


@dataclass(frozen=True, slots=True)
class Column:
    """A compiler of a table: what the user wrote, what it says it is, how to reach it, and why it
    cannot run, where it cannot."""

    spec: str
    release: str | None = None
    revision: str | None = None
    settings: SideSettings | None = None
    why: str = ""
    unanswerable: frozenset[str] = frozenset()
    """Checks that it cannot be asked."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a program does on one compiler: the findings' signatures, and of checks that were asked
    those that have an answer. `refusal` is why it does not parse, None where it does."""

    signatures: tuple[str, ...] = ()
    verdicts: tuple[str, ...] = ()
    answered: frozenset[str] = frozenset()
    refusal: str | None = None

    def effect(self, signature: str) -> str:
        """What the compiler does about one finding, in the corpus's words."""
        if self.refusal is not None:
            return UNPARSED
        if signature in self.signatures:
            return SHOWS
        return SHOWS_NOT if signature.partition("/")[0] in self.answered else UNANSWERED


@dataclass(frozen=True, slots=True)
class Row:
    """A finding, and what each compiler does about it, None where it cannot run.

    `first_shows` is the first compiler that shows it. `first_not` is the first that does not after
    one that does; where none shows it before, the first that does not.
    """

    signature: str
    effects: tuple[str | None, ...]
    entry: Entry | None = None

    @property
    def first_shows(self) -> int | None:
        """The place of the first compiler that shows it."""
        return next((at for at, one in enumerate(self.effects) if one == SHOWS), None)

    @property
    def oldest(self) -> int | None:
        """The place of the first compiler that could run."""
        return next((at for at, one in enumerate(self.effects) if one is not None), None)

    @property
    def always(self) -> bool:
        """Whether every compiler that could run shows it."""
        return {one for one in self.effects if one is not None} == {SHOWS}

    @property
    def first_not(self) -> int | None:
        """The place of the first compiler that does not show it any more, or not yet."""
        places = [at for at, one in enumerate(self.effects) if one == SHOWS_NOT]
        shown = self.first_shows
        after = [at for at in places if shown is not None and at > shown]
        return next(iter(after or places), None)


def answers(text: str, column: Column, checks: Sequence[str]) -> Answered:
    """What a program does on a compiler. Raises ExaminerError."""
    assert column.settings is not None, "the compiler cannot run"
    with Side(column.settings, checks) as side:
        prepared = side.prepare(Offered("", text))
        if prepared.subject is None:
            return Answered(refusal=prepared.refusal)
        tries = _TRIES if "determinism" in checks else 1
        found = side.examiner.examine([prepared.subject])
        if tries > 1:
            narrow = side.narrowed(["determinism"])
            found += narrow.examine([prepared.subject] * (tries - 1))
    if found[0].invalid is not None:
        return Answered(refusal=found[0].invalid)
    faults = {fault.signature: fault for one in found for fault in one.faults}
    answered = {name for name in checks if any(holds(one, name) is not None for one in found)}
    if any(judgement.check == "accept" for judgement in found[0].judgements):
        answered.add("accept")
    return Answered(
        tuple(faults),
        tuple(fault.verdict.value for fault in faults.values()),
        frozenset(answered),
    )


def rows(found: Sequence[Answered | None]) -> list[Row]:
    """A row for each finding of any compiler, in the order in which they are met."""
    signatures = dict.fromkeys(
        signature for one in found if one is not None for signature in one.signatures
    )
    return [
        Row(signature, tuple(None if one is None else one.effect(signature) for one in found))
        for signature in signatures
    ]


def corpus_rows(
    entries: Sequence[Entry], columns: Sequence[Column], workers: int, said: Callable[[], None]
) -> tuple[list[Row], list[Column]]:
    """A row for each entry. `said` is called after each entry on each compiler.

    A compiler that turns out not to run gets its reason and a column of None.
    """

    def column(one: Column) -> tuple[list[str | None], str]:
        effects: list[str | None] = []
        if one.settings is None:
            return [None] * len(entries), one.why
        settings = one.settings
        replay = Replay(settings.examiner, settings.version, settings.release, settings.release)
        why = ""
        try:
            with replay:
                for entry in entries:
                    if one.unanswerable & {entry.check, entry.asked_by}:
                        effects.append(UNANSWERED)
                        said()
                        continue
                    replayed = replay.entry(entry)
                    effects.append(replayed.effect or UNANSWERED)
                    said()
        except ExaminerError as error:
            effects, why = [None] * len(entries), str(error)
        return effects, why

    with ThreadPoolExecutor(workers) as pool:
        told = list(pool.map(column, columns))
    table = [
        Row(entry.signature, tuple(effects[place] for effects, _ in told), entry)
        for place, entry in enumerate(entries)
    ]
    renewed = [replace(one, why=why) for one, (_, why) in zip(columns, told, strict=True)]
    return table, renewed


def as_json(
    subject: str,
    columns: Sequence[Column],
    table: Sequence[Row],
    found: Sequence[Answered | None] = (),
) -> dict[str, Any]:
    """The table as plain data: `compilers` in order, and `rows` with a word for each compiler:
    `shows`, `not`, `unparsed`, `unanswered` (`agrees` for entries of `agree/`), or null where the
    compiler cannot run."""
    compilers = []
    for place, column in enumerate(columns):
        one: dict[str, Any] = {
            "spec": column.spec,
            "release": column.release,
            "revision": column.revision,
            "runs": not column.why,
            "why": column.why or None,
        }
        answered = found[place] if place < len(found) else None
        if answered is not None:
            one["findings"] = [
                {"signature": signature, "verdict": verdict}
                for signature, verdict in zip(answered.signatures, answered.verdicts, strict=True)
            ]
            one["refusal"] = answered.refusal
        compilers.append(one)

    def name(place: int | None) -> str | None:
        return None if place is None else columns[place].spec

    return {
        "subject": subject,
        "compilers": compilers,
        "rows": [
            {
                "entry": None if row.entry is None else row.entry.identity,
                "shelf": None if row.entry is None else row.entry.shelf.value,
                "signature": row.signature,
                "effects": list(row.effects),
                "first_shows": name(row.first_shows),
                "first_not": name(row.first_not),
            }
            for row in table
        ],
    }
