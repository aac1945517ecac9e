"""What all checks together found out about one program: each cause once, under its best name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from oracle.checks.accept import Accept
from oracle.checks.base import Subject
from oracle.guilty import only_verified
from oracle.running import comparisons
from oracle.running.whole import WHOLE
from oracle.verdict import Fault, Judgement, Mishap, Verdict
from reference.contracts.coverage import OUTSIDE

SEEN_IN_IR = ("value", "hazard", "access")
"""Checks that tell from the IR why a run goes wrong."""

_RUN = "run"
_OF_A_RUN = (comparisons.SHAPE, ("error", "no-buffer"))
"""Causes by themselves, behind all IR that is judged: unsigned comparisons of what was loaded, and
buffers that a loop is not handed."""

_REFUSED = frozenset({Verdict.REJECTED, Verdict.CRASH})


@dataclass(frozen=True, slots=True)
class Examination:
    """All that was found out about one program."""

    subject: Subject
    judgements: tuple[Judgement, ...]
    faults: tuple[Fault, ...]
    """Each cause once, also when several checks ran into it."""
    invalid: str | None = None
    """Why the program is not valid, None when it is."""
    mishap: Mishap | None = None
    """What crosscurrent itself did wrong on the program, outside any check."""

    @property
    def unsupported(self) -> tuple[str, ...]:
        """What the model does not know, over all checks."""
        return tuple(item for judgement in self.judgements for item in judgement.unsupported)

    @property
    def mishaps(self) -> tuple[tuple[str, Mishap], ...]:
        """What crosscurrent itself did wrong, and in which check; outside any, it has no name."""
        found = [(one.check, one.mishap) for one in self.judgements]
        return tuple((check, one) for check, one in (*found, ("", self.mishap)) if one is not None)


def gathered(subject: Subject, judgements: Sequence[Judgement]) -> Examination:
    """The faults of all judgements, without those that another check has a better name for."""
    faults: dict[str, Fault] = {}
    for judgement in judgements:
        for fault in judgement.faults:
            faults.setdefault(fault.signature, fault)
    broken = {fault.check for fault in faults.values()}
    if not broken.isdisjoint(SEEN_IN_IR):
        # What a run shows too has its cause, and a better name, there.
        faults = {name: fault for name, fault in faults.items() if fault.check != _RUN}
    if any(fault.check == "coverage" and OUTSIDE in fault.shape for fault in faults.values()):
        # So has what a pass refuses that only verifies that every op is in a region.
        faults = {name: fault for name, fault in faults.items() if not only_verified(fault)}
    return Examination(subject, tuple(judgements), tuple(faults.values()))


def unexplained(examination: Examination) -> Iterator[tuple[Fault, tuple[str, ...]]]:
    """Faults that a run shows and whose cause may be in the IR of the program that was run, which
    has kernels that the subject has not; and the checks that may tell it.

    The whole compiler does not say which pass refuses a program.
    """
    for fault in examination.faults:
        if fault.check != _RUN or fault.text is None:
            continue
        if fault.stage == _RUN:
            if fault.shape not in _OF_A_RUN:
                yield fault, SEEN_IN_IR
        elif _is_refused_whole(fault):
            yield fault, (Accept.name,)


def explained(
    examination: Examination, shown: Fault, found: Sequence[Fault], text: str | None
) -> Examination:
    """The examination with what a run showed under the names that the IR has for it, if any, and
    itself where it has none; `found` is what the checks have found in the IR of that text, or of
    the program's own where it is None."""
    causes = [one for one in found if not _is_refused_whole(shown) or _refuses_alike(shown, one)]
    if not causes:
        return examination
    kept = [fault for fault in examination.faults if fault is not shown]
    named = [replace(cause, text=text) for cause in causes]
    faults = {fault.signature: fault for fault in (*kept, *named)}
    return replace(examination, faults=tuple(faults.values()))


def _is_refused_whole(fault: Fault) -> bool:
    return fault.stage == WHOLE.stage and fault.verdict in _REFUSED


def _refuses_alike(shown: Fault, cause: Fault) -> bool:
    """Whether a pass refuses what the whole compiler refuses: the pass may say more of it."""
    whole, alone = ("/".join(one.shape) for one in (shown, cause))
    return f"{alone}/".startswith(f"{whole}/")
