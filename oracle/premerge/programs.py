"""Where the programs of a pre-merge run come from, and which come first.

A source is any iterator of `Offered`. The corpus is one, what the generator makes another; whoever
has programs of another kind (seeds from a change's tests, mutants of these) writes one more and
puts it beside the generator's with `alternating`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gen.profiles import Profile
from gen.programs import program
from oracle.corpus import Entry
from reference.ir import Operation, Program
from reference.ops import Transfer
from reference.text import print_program

WINDOW = 48
"""So many programs stand by, of which the one that adds most comes first."""

_FIXED_COST = 8
"""What a program costs however short it is, in ops."""


@dataclass(frozen=True, slots=True)
class Offered:
    """A program to be put to both compilers.

    `name` says where it comes from, `program` is the same in the model's terms where those are
    known. `checks` are those to ask, None for all of the run; `known` is a corpus entry's
    signature. `given` is whether a user gave it: it is then asked about as it is.
    """

    name: str
    text: str
    program: Program | None = None
    checks: tuple[str, ...] | None = None
    known: str | None = None
    given: bool = False


def from_corpus(entries: Iterable[Entry], checks: Sequence[str]) -> Iterator[Offered]:
    """Each entry, asked by the check that found it; entries of other checks are left out."""
    for entry in entries:
        names = tuple(dict.fromkeys((entry.asked_by, entry.check)))
        if all(name in checks for name in names):
            yield Offered(
                f"corpus {entry.identity}", entry.program, checks=names, known=entry.signature
            )


def generated(seed: int, profile: Profile) -> Iterator[Offered]:
    """The generator's programs, without end; the same for the same seed on any machine."""
    index = 0
    while True:
        made = program(seed, index, profile)
        yield Offered(f"seed {seed} #{index}", print_program(made), made)
        index += 1


def alternating(*sources: Iterator[Offered]) -> Iterator[Offered]:
    """One program of each source in turn; a source that has ended is passed over."""
    waiting = list(sources)
    while waiting:
        for source in list(waiting):
            offered = next(source, None)
            if offered is None:
                waiting.remove(source)
            else:
                yield offered


def ranked(source: Iterator[Offered]) -> Iterator[Offered]:
    """The programs of a source, those that add most for their cost first.

    What a program adds is told by its features: each kind of op with its lifetimes and reach, and
    each pair of an op with one that takes its result, on one device or across. A feature counts for
    less the more programs with it have been dealt. So all that programs can be made of comes up
    early, and within a window short programs go before long ones. Order is the only thing that
    changes, and it is the same every time.
    """
    seen: Counter[str] = Counter()
    window: list[tuple[Offered, frozenset[str], int]] = []
    while True:
        while len(window) < WINDOW:
            offered = next(source, None)
            if offered is None:
                break
            operations = list(offered.program.operations()) if offered.program else []
            window.append((offered, features(operations), len(operations)))
        if not window:
            return

        def gain(one: tuple[Offered, frozenset[str], int]) -> float:
            _, found, ops = one
            return sum(1.0 / (1 + seen[item]) ** 2 for item in found) / (ops + _FIXED_COST)

        best = max(range(len(window)), key=lambda place: gain(window[place]))
        offered, found, _ = window.pop(best)
        seen.update(found)
        yield offered


def features(operations: Iterable[Operation]) -> frozenset[str]:
    """What ops there are and how they hang together, in words."""
    found: set[str] = set()
    makers: dict[str, Operation] = {}
    for operation in operations:
        found.add(_kind(operation))
        for value in operation.operands:
            maker = makers.get(value.name)
            if maker is not None:
                reach = "" if _place(maker) == _place(operation) else " across"
                found.add(f"{maker.mnemonic} > {operation.mnemonic}{reach}")
        for value in operation.results:
            makers[value.name] = operation
    return frozenset(found)


def _kind(operation: Operation) -> str:
    lifetimes = "/".join(
        value.lifetime.value
        for value in (*operation.operands, *operation.results)
        if value.lifetime is not None
    )
    marks = [
        mark
        for mark, holds in (
            ("pins", operation.pins),
            ("tied", bool(operation.tied)),
            ("placed", _place(operation) is not None),
        )
        if holds
    ]
    if isinstance(operation, Transfer):
        ends = operation.source_affinity, operation.target_affinity
        marks.append("same" if ends[0] == ends[1] else "cross")
        if operation.explicit_affinity is not None:
            marks.append("on")
    return " ".join((operation.mnemonic, lifetimes, *marks))


def _place(operation: Operation) -> str | None:
    place = operation.execution_affinity
    return None if place is None else str(place)
