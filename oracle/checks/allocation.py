"""`allocation`: the lifetime and the affinity of all storage that execution regions are given.

The compiler's IR just before `iree-stream-schedule-allocation` is read back and given to the model;
what the pass makes of it is compared, region by region: uploaded constants, results, transients,
and where transients are released.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import ClassVar

from oracle.checks.base import (
    Confirmation,
    Judge,
    Question,
    QuestionBuilder,
    Subject,
    pass_pipeline,
)
from oracle.compiling import routes
from oracle.compiling.answers import Json
from oracle.reading.allocated import FOUND, Affinities, Allocated, Regions, allocated, foreseen
from oracle.reading.reader import read_program
from oracle.verdict import Fault, Judgement, Verdict
from reference.affinity import Affinity
from reference.allocation import Allocation, allocations
from reference.analysis import analyze
from reference.ir import (
    Function,
    Initializer,
    Program,
    UnsupportedOperationError,
    walk,
)
from reference.ops import Execute

_STAGE = "schedule-allocation"


@dataclass(frozen=True, slots=True)
class _Given:
    """What one region is given; `identity` is None where the model has no such region."""

    identity: str | None
    expected: Sequence[Allocated]
    actual: Sequence[Allocated]


class AllocationAgreement:
    """Asks `iree-stream-schedule-allocation`, given the compiler's own scheduled IR."""

    name: ClassVar[str] = "allocation"
    question: ClassVar[str] = "does each allocation have the lifetime and affinity of the rules"

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        builder, whole = QuestionBuilder(), routes.whole(subject)
        if not _is_scheduled(subject):
            whole.before(_STAGE).take(builder)
        stage = whole.stages[-1]
        builder.step("read", "read").run(stage).step(stage.name, "find", list(FOUND))
        return (builder.question(_stock_arguments(subject)),)

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        (answers,) = results
        read = read_program(answers[-3])
        if read.unsupported:
            return Judgement(self.name, unsupported=tuple(map(str, read.unsupported)))
        made = {operation.mnemonic for operation in read.program.operations()}.intersection(FOUND)
        if made:
            return Judgement(self.name, unsupported=(f"{min(made)} before the pass that makes it",))
        try:
            expected = allocations(read.program, analyze(read.program, subject.rules))
            regions = _regions(read.program, expected, allocated(answers[-1]))
        except UnsupportedOperationError as error:
            return Judgement(self.name, unsupported=(str(error),))
        for given in regions:
            for one, other in _differences(given.expected, given.actual):
                return Judgement(self.name, (self._fault(subject, given, one, other),))
        return Judgement(self.name)

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        run = judge.stock.opt(subject.text, *fault.stock_arguments, "--mlir-print-debuginfo")
        regions = allocated(judge.find(run.output, FOUND)) if run.succeeded else {}
        told = {_told(given) for per_function in regions.values() for given in per_function}
        return Confirmation(
            confirmed=fault.actual in told,
            commands=(run.command,),
            output=run.output or run.diagnostics,
        )

    def _fault(
        self, subject: Subject, given: _Given, expected: Allocated | None, actual: Allocated | None
    ) -> Fault:
        return Fault(
            check=self.name,
            verdict=Verdict.DISAGREE,
            stage=_STAGE,
            shape=_shape(expected, actual),
            message=(
                f"region {given.identity or 'unknown'} is expected to be given "
                f"{expected or 'nothing'}, the compiler gives it {actual or 'nothing'}"
            ),
            expected=_told(given.expected),
            actual=_told(given.actual),
            stock_arguments=(_stock_arguments(subject),),
        )


def _told(given: Iterable[Allocated]) -> str:
    """All that a region is given, in an order that no run changes."""
    return "\n".join(sorted(map(str, given))) or "nothing"


def _is_scheduled(subject: Subject) -> bool:
    """Whether the input has execution regions: the pass in question takes it as it is."""
    if subject.program is None:
        return routes.mentions(subject, Execute.mnemonic)
    return any(isinstance(op, Execute) for op in subject.program.operations())


def _stock_arguments(subject: Subject) -> str:
    """The option with which `iree-opt` runs all that leads to the pass in question, and it."""
    whole = routes.whole(subject)
    if _is_scheduled(subject):
        return pass_pipeline(whole.stages[-1].pipeline)
    return whole.stock_arguments()


def _regions(program: Program, expected: Iterable[Allocation], actual: Regions) -> Iterator[_Given]:
    """Region by region, in the program's order, what the model and the compiler say."""
    wanted: dict[str, list[Allocated]] = {}
    for allocation in expected:
        wanted.setdefault(allocation.region, []).append(foreseen(allocation))
    identities = _identities(program)
    for name in dict.fromkeys((*identities, *actual)):
        pairs = zip_longest(identities.get(name, ()), actual.get(name, ()))
        for identity, given in pairs:
            yield _Given(identity, wanted.get(identity or "", ()), given or ())


def _identities(program: Program) -> dict[str | None, list[str]]:
    """The identities of execution regions by function; under None those of all initializers."""
    found: dict[str | None, list[str]] = {}
    owners: list[Function | Initializer] = [*program.initializers, *program.functions]
    for owner in owners:
        name = owner.name if isinstance(owner, Function) else None
        for operation in walk(owner.body):
            if isinstance(operation, Execute):
                found.setdefault(name, []).append(operation.identity)
    return found


def _differences(
    expected: Sequence[Allocated], actual: Sequence[Allocated]
) -> Iterator[tuple[Allocated | None, Allocated | None]]:
    """Pairs that differ, where one may be missing: those alike on both sides are left out."""
    surplus = list((Counter(actual) - Counter(expected)).elements())
    for item in (Counter(expected) - Counter(actual)).elements():
        partner = max(surplus, key=lambda other: _likeness(item, other), default=None)
        if partner is None or not _likeness(item, partner)[0]:
            yield item, None
        else:
            surplus.remove(partner)
            yield item, partner
    yield from ((None, item) for item in surplus)


def _likeness(one: Allocated, other: Allocated) -> tuple[int, bool, bool]:
    """How much two allocations have in common: above all, whose values they hold."""
    shared = len(one.names & other.names)
    return (
        shared or int(one.names == other.names),
        one.kind is other.kind,
        one.lifetimes == other.lifetimes,
    )


def _shape(expected: Allocated | None, actual: Allocated | None) -> tuple[str, ...]:
    """A difference in words without names or numbers."""
    if expected is None or actual is None:
        one = expected or actual
        assert one is not None
        return ("missing" if actual is None else "unforeseen", one.kind.value, _lifetimes(one))
    words = [expected.kind.value, _lifetimes(expected)]
    if expected.kind is not actual.kind:
        words.append(f"made-as-{actual.kind.value}")
    if expected.lifetimes != actual.lifetimes:
        words.append(f"made-{_lifetimes(actual)}")
    if expected.affinity != actual.affinity:
        words.append(f"affinity-{_relation(expected.affinity, actual.affinity)}")
    if (expected.names, expected.slices) != (actual.names, actual.slices):
        words.append("other-values")
    if expected.released != actual.released:
        words.append("released-elsewhere")
    return (*words,)


def _lifetimes(made: Allocated) -> str:
    names = ("any" if life.value == "*" else life.value for life in made.lifetimes)
    return "+".join(sorted(names))


def _relation(expected: Affinities, actual: Affinities) -> str:
    """How the actual set of affinities departs from the expected one."""
    if not expected or not actual:
        return "unforeseen" if actual else "absent"
    wanted, given = (
        {member.device for member in side if isinstance(member, Affinity)}
        for side in (expected, actual)
    )
    if wanted == given:
        return "other-queues"
    if given < wanted:
        return "missing-member"
    return "extra-member" if given > wanted else "other-members"
