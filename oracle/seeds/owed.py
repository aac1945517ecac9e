"""What may be held against a compiler for a program that is not well-formed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from oracle.checks import AGREEMENTS
from oracle.examination import Examination
from oracle.verdict import Fault, Judgement, Verdict
from reference.verifier.problems import Level

_OF_VALID = frozenset({"accept", "roundtrip"})
_LOST = (Verdict.CRASH, Verdict.HANG)


def owed(examination: Examination, level: Level | None, check: str) -> Examination:
    """The examination without what the compiler does not owe a program of that level. `check` is
    one of those asked, for what is said of a program that the compiler does not take at all.

    An agreement is about one pass, whatever the program. One that is merely valid is to be
    accepted and to read back, too, and no program that is read ends a compiler. All else takes a
    well-formed one. A program that the model does not know, or that is at a later phase than the
    pipeline begins with, is owed agreements only.
    """
    if level is Level.WELL_FORMED:
        return examination
    if examination.invalid is not None:
        said = f"the compiler calls the given program invalid: {examination.invalid}"
        return replace(examination, judgements=(Judgement(check, (), (said,)),), invalid=None)
    judgements = tuple(_judgements(examination, level))
    left = {one.signature for judgement in judgements for one in judgement.faults}
    faults = tuple(one for one in examination.faults if one.signature in left)
    return replace(examination, judgements=judgements, faults=faults)


def _judgements(examination: Examination, level: Level | None) -> Iterator[Judgement]:
    for judgement in examination.judgements:
        if not judgement.faults:
            yield judgement
            continue
        faults = tuple(one for one in judgement.faults if _is_owed(one, level))
        if faults or judgement.foreseen:
            yield replace(judgement, faults=faults)


def _is_owed(fault: Fault, level: Level | None) -> bool:
    if fault.check in AGREEMENTS:
        return True
    return level is Level.VALID and (fault.check in _OF_VALID or fault.verdict in _LOST)
