"""Sorts what two compilers do with one program: regressed, fixed, both wrong, changed."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

from oracle.examination import Examination
from oracle.premerge.looks import Change
from oracle.premerge.side import agreements, asked_by, contracts, holds
from oracle.verdict import Fault


class Kind(enum.StrEnum):
    """What a difference is. Only `regressed` is a reason not to merge."""

    REGRESSED = "regressed"
    """A promise that the baseline keeps and the candidate breaks."""
    FIXED = "fixed"
    """The other way round, in a program on which the candidate breaks nothing that the baseline
    keeps: what is wrong otherwise is not put right."""
    CHANGED = "changed"
    """No promise is broken on either side, and yet they do not do the same."""
    BOTH_WRONG = "both wrong"
    """Broken on both, or broken on one where the other broke off before or shows something else
    instead: nothing that the change did, as far as this program tells."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference in one program.

    `fault` is what the compiler that is wrong does, None for a change. `checks` are those that are
    to answer for it. `baseline` and `candidate` are what each says, for people.
    """

    kind: Kind
    signature: str
    check: str
    fault: Fault | None
    checks: tuple[str, ...]
    baseline: str
    candidate: str


@dataclass(frozen=True, slots=True)
class Sorted:
    """All that is said of one program. `not_compared` are faults of one side about which the model
    has no answer for the other, by signature."""

    differences: tuple[Difference, ...] = ()
    not_compared: tuple[str, ...] = ()


def sort(baseline: Examination, candidate: Examination, change: Change | None) -> Sorted:
    """What differs; `change` is what a look at both sides' schedules found.

    The program is valid on both sides. A change is told only where no promise is broken on either
    side: what breaks one is not told a second time as a change.
    """
    before, after = contracts(baseline), contracts(candidate)
    wrong_otherwise = not after.keys() <= before.keys()
    found: list[Difference] = []
    not_compared: list[str] = []
    for signature in sorted({*before, *after}):
        if signature in before and signature in after:
            fault = after[signature]
            found.append(_broken(Kind.BOTH_WRONG, fault, (), fault.actual, fault.actual))
            continue
        worse = signature in after
        fault = (after if worse else before)[signature]
        wrong, other = (candidate, baseline) if worse else (baseline, candidate)
        checks = _asked(wrong, fault)
        said = [holds(other, check) for check in checks]
        elsewhere = any(one.check == fault.check for one in contracts(other).values())
        kind = Kind.REGRESSED if worse else Kind.FIXED
        if elsewhere or _broke_off(other, checks) or (not worse and wrong_otherwise):
            kind = Kind.BOTH_WRONG
        elif not all(said):
            not_compared.append(signature)
            continue
        good, bad = _kept(fault), fault.actual
        sides = (good, bad) if worse else (bad, good)
        found.append(_broken(kind, fault, checks, *sides))
    if not before and not after:
        found += _changes(baseline, candidate, change)
    return Sorted(tuple(found), tuple(not_compared))


def _asked(wrong: Examination, fault: Fault) -> tuple[str, ...]:
    """The checks that are to answer for a fault: its own where that ran into it, whichever others
    did so too; else those that did, and its own."""
    asked = asked_by(wrong, fault.signature)
    return (fault.check,) if fault.check in asked else (*asked, fault.check)


def _broken(
    kind: Kind, fault: Fault, checks: tuple[str, ...], baseline: str, candidate: str
) -> Difference:
    return Difference(kind, fault.signature, fault.check, fault, checks, baseline, candidate)


def _kept(fault: Fault) -> str:
    return f"as promised: {fault.expected}"


def _broke_off(examination: Examination, checks: tuple[str, ...]) -> bool:
    """Whether a side has no answer to one of these checks because it stopped before."""
    return any(
        judgement.check in checks
        and bool(judgement.faults)
        and not judgement.foreseen
        and judgement.faults[0].check != judgement.check
        for judgement in examination.judgements
    )


def _changes(
    baseline: Examination, candidate: Examination, change: Change | None
) -> Iterator[Difference]:
    if change is not None:
        yield Difference(
            Kind.CHANGED,
            change.signature,
            change.about,
            None,
            (),
            change.baseline,
            change.candidate,
        )
        return
    before, after = agreements(baseline), agreements(candidate)
    for signature in sorted(before.keys() ^ after.keys()):
        side = after if signature in after else before
        fault, other = side[signature], (baseline if side is after else candidate)
        if not holds(other, fault.check):
            continue
        sides = (fault.expected, fault.actual)
        yield Difference(
            Kind.CHANGED,
            signature,
            fault.check,
            None,
            (fault.check,),
            *(sides if side is after else sides[::-1]),
        )
