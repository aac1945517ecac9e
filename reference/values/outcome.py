"""What a run returns, and where two runs differ."""

from __future__ import annotations

from dataclasses import dataclass

from reference.values.content import (
    ENDLESS,
    Content,
    agrees,
    first_difference,
)
from reference.values.description import describe, describe_at
from reference.values.storage import Race


@dataclass(frozen=True, slots=True)
class Result:
    """Something that outlives the run: `what` (`result 0 of @main`), and its bytes or number."""

    what: str
    value: Content | int


@dataclass(frozen=True, slots=True)
class Outcome:
    """All results, in an order that only the program's interface decides.

    `races` are accesses that nothing orders. `undefined` says that the host read bytes that nobody
    wrote, so that the run may go on in any way.
    """

    results: tuple[Result, ...]
    races: tuple[Race, ...] = ()
    undefined: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """The first result that differs, from byte `place` on where it has bytes: both values for
    people, what they have there in the first line."""

    what: str
    expected: str
    actual: str
    place: int | None = None


def difference(expected: Outcome, actual: Outcome) -> Difference | None:
    """Where the results are not what the expected ones allow; None where they are."""
    for one, other in zip(expected.results, actual.results, strict=False):
        if one == other:
            continue
        if one.what != other.what:
            return Difference("the results", one.what, other.what)
        mine, theirs = one.value, other.value
        if isinstance(mine, int) or isinstance(theirs, int):
            return Difference(one.what, describe(mine), describe(theirs))
        mine, theirs = _same_length(mine, theirs)
        if not agrees(mine, theirs):
            place = first_difference(mine, theirs) or 0
            told = (_told(mine, place), _told(theirs, place))
            return Difference(one.what, *told, place)
    counts = [str(len(side.results)) for side in (expected, actual)]
    same = counts[0] == counts[1]
    return None if same else Difference("the results", counts[0], counts[1])


def _told(content: Content, place: int) -> str:
    """What is at one place, then all of it where that is more."""
    here, whole = describe_at(content, place), describe(content)
    return here if here == whole else f"{here}\n{whole}"


def _same_length(expected: Content, actual: Content) -> tuple[Content, Content]:
    """What is passed through has no length of its own: the other side's."""
    if expected.length != actual.length and ENDLESS in (expected.length, actual.length):
        shared = min(expected.length, actual.length)
        return expected.part(0, shared), actual.part(0, shared)
    return expected, actual
