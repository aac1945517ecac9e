"""One lane of a campaign: a process that generates, asks its own compiler, and judges.

A lane handles blocks of program numbers. What the compiler is about to see is on disk first, in
`OUT/in-flight/RUN/`. Module state lives only here, in a process of its own.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import parent_process
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

from gen.coverage import cells
from gen.profiles import Level, Profile
from oracle.campaigns.counts import Counts, Oddity
from oracle.campaigns.findings import Higher
from oracle.campaigns.oddities import OddProgram, oddities, of_mishap
from oracle.campaigns.source import Generated, ProgramSource, Seeded, Written
from oracle.checks import CHECKS
from oracle.checks.base import Confirmation, Subject, is_resolved
from oracle.examination import Examination
from oracle.examiner import Examiner, ExaminerSettings
from oracle.mishaps import attempted, examined
from oracle.raising import Raised, raised
from oracle.seeds.owed import owed
from oracle.seeds.seeds import Seeds, features_of
from oracle.verdict import Fault, Mishap
from reference.ir import Program
from reference.releases import Release
from reference.text import print_program


@dataclass(frozen=True, slots=True)
class LaneSettings:
    """What a lane must know. `rules` are the model's, `compiler` the release under test."""

    seed: int
    profile: Profile
    checks: tuple[str, ...]
    examiner: ExaminerSettings
    rules: Release
    compiler: Release
    in_flight: Path
    """The folder for what compilers are looking at; this run's own."""
    seeds: Seeds | None = None
    """Programs that half of the run's are to be made of."""
    known: frozenset[str] = frozenset()
    """The signatures that the corpus explains: a lane asks nothing more about them."""

    @property
    def source(self) -> ProgramSource:
        """Where the programs come from."""
        generated = Generated(self.seed, for_release(self.profile, self.compiler))
        if self.seeds is None:
            return generated
        return Seeded(generated, self.seeds, features_of(self.compiler))


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A fault in program number `index`. The text and the stock tools' word come with the first
    occurrence of a signature in a lane, those of later programs leave them out. The stock tools are
    not asked here about what the corpus explains."""

    index: int
    fault: Fault
    level: str
    text: str | None = None
    ops: int = 0
    confirmation: Confirmation | None = None
    level_reason: str | None = None
    higher: Higher | None = None


@dataclass(slots=True)
class BlockResult(Counts):
    """What one block came to. `restarts` are those since the last block."""

    occurrences: list[Occurrence] = field(default_factory=list)
    odd: list[OddProgram] = field(default_factory=list)


class Lane:
    """Examines blocks of a run's programs; `examiner` instead of its own, for measurements."""

    def __init__(self, settings: LaneSettings, examiner: Examiner | None = None) -> None:
        self._settings = settings
        self._source = settings.source
        checks = [CHECKS[name] for name in settings.checks]
        self._examiner = examiner or Examiner(settings.examiner, checks)
        self._told: dict[object, int] = {}
        self._restarts: Counter[str] = Counter()
        self._in_flight = settings.in_flight / f"{os.getpid()}.json"

    def run(self, indices: range) -> BlockResult:
        """Examines the programs of these numbers."""
        result = BlockResult()
        asked: dict[int, tuple[Program | Written, Subject]] = {}
        for index in indices:
            one = attempted(partial(self._made, index))
            if isinstance(one, Mishap):
                self._odd(result, index, of_mishap(one), _NOT_MADE)
            else:
                asked[index] = one
        subjects = [subject for _, subject in asked.values()]
        self._note({str(index): subject.text for index, (_, subject) in asked.items()})
        told = examined(self._examiner, subjects)
        for (index, (made, subject)), examination in zip(asked.items(), told, strict=True):
            counted = attempted(partial(self._count, result, index, made, examination))
            if isinstance(counted, Mishap):
                self._odd(result, index, of_mishap(counted), subject.text)
        result.programs = len(indices)
        result.mishaps = len({odd.index for odd in result.odd if odd.oddity.kind == "mishap"})
        restarts = Counter(self._examiner.restarts())
        result.restarts = restarts - self._restarts
        self._restarts = restarts
        return result

    def close(self) -> None:
        """Ends the lane's compilers."""
        self._examiner.close()

    def _made(self, index: int) -> tuple[Program | Written, Subject]:
        settings = self._settings
        made = self._source.program(index)
        if not isinstance(made, Written):
            return made, subject_of(made, settings.rules, settings.compiler)
        subject = Subject(
            text=made.text,
            program=made.program,
            rules=settings.rules,
            compiler=settings.compiler,
            resolved=made.program is not None and is_resolved(made.program),
            sampled=True,
        )
        return made, subject

    def _note(self, programs: Mapping[str, str]) -> None:
        """Puts on disk what the compiler is about to see."""
        settings = self._settings
        note = {"seed": settings.seed, "profile": settings.profile.name, "programs": programs}
        self._in_flight.parent.mkdir(parents=True, exist_ok=True)
        part = self._in_flight.with_suffix(".part")
        part.write_text(json.dumps(note), encoding="utf-8")
        part.replace(self._in_flight)

    def _count(
        self, result: BlockResult, index: int, made: Program | Written, examination: Examination
    ) -> None:
        if isinstance(made, Written):
            examination = owed(examination, made.level, self._settings.checks[0])
        subject = examination.subject
        for oddity in oddities(examination):
            self._odd(result, index, oddity, subject.text)
        if examination.invalid is not None:
            result.invalid += 1
            return
        result.unsupported += bool(examination.unsupported)
        for judgement in examination.judgements:
            elsewhere = bool(judgement.faults) and judgement.faults[0].check != judgement.check
            if elsewhere and not judgement.foreseen:
                result.unanswered[judgement.check] += 1
            else:
                result.verdicts[judgement.check, judgement.verdict] += 1
        for fault in examination.faults:
            result.occurrences.append(self._occurrence(result, index, subject, fault))
        if subject.program is not None:
            result.cells.update(map(str, cells(subject.program)))

    def _odd(self, result: BlockResult, index: int, told: tuple[Oddity, str], program: str) -> None:
        oddity, said = told
        text = program if self._is_first(oddity, index) else None
        result.odd.append(OddProgram(oddity, index, said, text))

    def _occurrence(
        self, result: BlockResult, index: int, subject: Subject, fault: Fault
    ) -> Occurrence:
        level = written_at(subject)
        if not self._is_first(fault.signature, index):
            return Occurrence(index, fault, level.value)
        text = fault.text or subject.text
        ops = 0 if subject.program is None else sum(1 for _ in subject.program.operations()) - 1
        if fault.signature in self._settings.known:
            return Occurrence(index, fault, level.value, text, ops)
        highest: Raised | Mishap | None = None
        if fault.text is None:
            highest = attempted(partial(self._raised, index, subject, fault, level))
        confirmation = attempted(partial(self._examiner.confirm, subject, fault))
        # The finding is kept whatever else goes wrong, as one that is not confirmed.
        if isinstance(highest, Mishap):
            self._odd(result, index, of_mishap(highest), subject.text)
            highest = Raised(level, subject, fault, None, f"not tried: {highest.line}")
        if isinstance(confirmation, Mishap):
            self._odd(result, index, of_mishap(confirmation), subject.text)
            confirmation = Confirmation(False, (), f"not asked: {confirmation.line}")
        return Occurrence(
            index=index,
            fault=fault,
            level=(level if highest is None else highest.level).value,
            level_reason=None if highest is None else highest.why_not,
            higher=higher_of(highest),
            text=text,
            ops=ops,
            confirmation=confirmation,
        )

    def _raised(self, index: int, subject: Subject, fault: Fault, level: Level) -> Raised:
        """The finding at its highest level. Raises ExaminerError."""

        def note(text: str) -> None:
            self._note({str(index): subject.text, f"{index} on tensors": text})

        return raised(self._examiner, subject, fault, level, note)

    def _is_first(self, kind: object, index: int) -> bool:
        """Whether no program before this one was told with that kind.

        Blocks may come out of order, and again when a lane was lost: the first of a run always
        comes with its text, whichever lane had it and whatever that lane had told before.
        """
        if index > self._told.get(kind, index):
            return False
        self._told[kind] = index
        return True


def higher_of(highest: Raised | None) -> Higher | None:
    """What a finding's folder says of its program on tensors; None where it does not show there."""
    if highest is None or highest.confirmation is None:
        return None
    return Higher(highest.subject.text, highest.confirmation)


def subject_of(generated: Program, rules: Release, compiler: Release) -> Subject:
    """A program of ours as a subject; well-formed, as the generator's programs are."""
    return Subject(
        text=print_program(generated),
        program=generated,
        rules=rules,
        compiler=compiler,
        resolved=is_resolved(generated),
        sampled=True,
    )


def written_at(subject: Subject) -> Level:
    """The level that a subject's program is written at."""
    if subject.program is not None and subject.program.tensors:
        return Level.TENSOR
    return Level.RESOLVED if subject.resolved else Level.STREAM


def for_release(profile: Profile, compiler: Release) -> Profile:
    """The profile without what that release cannot parse, or reads past the end of."""
    return replace(
        profile,
        casts=compiler.async_cast,
        explicit_on=profile.explicit_on if compiler.explicit_transfer_execution else 0.0,
        uneven_loops=0.0 if compiler.while_yield_reaches_results else profile.uneven_loops,
    )


_NOT_MADE = "// This program could not be made.\n"
_PR_SET_PDEATHSIG = 1
_COLLECTED_AFTER = 100_000
"""Objects made before the collector looks for garbage."""

_lane: Lane | None = None


def start(settings: LaneSettings, next_core: Synchronized[int] | None = None) -> None:
    """Initializer of a lane process. Ctrl-C is the campaign's to handle, not a lane's.

    With `next_core`, a counter that all lanes share, each lane and its compilers are bound to one
    core: they take turns, and a turn is quicker where both are at home.
    """
    global _lane
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    if next_core is not None:
        cores = sorted(os.sched_getaffinity(0))
        with next_core.get_lock():
            os.sched_setaffinity(0, {cores[next_core.value % len(cores)]})
            next_core.value += 1
    _lane = Lane(settings)
    spare_the_collector()


def end_with_parent() -> None:
    """Has the system end this process with the one that started it: a campaign that is killed
    leaves no lanes behind, nor they their compilers. Linux only. For processes that
    `multiprocessing` started."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        parent = parent_process()
        # It may have died before the system knew of our wish.
        if parent is not None and parent.pid != os.getppid():
            os._exit(1)


def spare_the_collector() -> None:
    """Sets how seldom garbage is looked for: what is imported by now never dies, and little of what
    a program costs is garbage in cycles. For processes that examine programs."""
    gc.freeze()
    gc.set_threshold(_COLLECTED_AFTER)


def run_blocks(blocks: Sequence[range]) -> list[BlockResult]:
    """Blocks in this process's lane, in order."""
    assert _lane is not None, "start() was not called"
    return [_lane.run(indices) for indices in blocks]
