"""`placement`: which transfers get `on(...)`, and on which device they execute.

From IREE 3.12 on the answer is what `iree-stream-place-transfer-executions` leaves on each
transfer. Before, there is neither pass nor `on`: the answer is the affinity of the execution
region that holds the transfer after `iree-stream-schedule-execution`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from oracle.checks.base import (
    Confirmation,
    Judge,
    Question,
    QuestionBuilder,
    Subject,
    pass_pipeline,
)
from oracle.compiling import routes, stages
from oracle.compiling.answers import Json
from oracle.compiling.stages import Stage
from oracle.reading.raw import origin as origin_of
from oracle.reading.reader import TransferSite, read_program, transfer_sites
from oracle.signature import of_transfer
from oracle.verdict import Fault, Judgement, Verdict
from reference.analysis import analyze
from reference.ir import Program, UnsupportedOperationError
from reference.ops import Transfer
from reference.placement import PlacementRule, apply_placement, place_transfers
from reference.scheduling.partition import Outside, RegionAffinity, transfer_regions

_TRANSFER = "stream.async.transfer"


@dataclass(frozen=True, slots=True)
class _Difference:
    """One transfer that is not where the model puts it."""

    transfer: Transfer
    expected: RegionAffinity
    actual: RegionAffinity
    rule: PlacementRule


class Placement:
    """Asks the placement pass, or the scheduler where there is no such pass."""

    name: ClassVar[str] = "placement"
    question: ClassVar[str] = "does each transfer execute where the rules put it"

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        builder, stage = QuestionBuilder(), _asked(subject)
        route = None if subject.resolved else routes.whole(subject).before(stage.name)
        if route is not None:
            route.take(builder)
        if _reads(subject):
            builder.step("read", "read")
        builder.run(stage).step(stage.name, "find", [_TRANSFER])
        if route is None:
            return (builder.question(pass_pipeline(stage.pipeline)),)
        return (builder.question(route.stock_arguments(stage)),)

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        program, (answers,) = subject.program, results
        if _reads(subject):
            read = read_program(answers[-3])
            program = read.program
            if read.unsupported:
                return Judgement(self.name, unsupported=tuple(map(str, read.unsupported)))
        assert program is not None
        differences = _differences(subject, program, transfer_sites(answers[-1]))
        try:
            first = next(differences, None)
        except UnsupportedOperationError as error:
            return Judgement(self.name, unsupported=(str(error),))
        return Judgement(self.name, () if first is None else (self._fault(subject, first),))

    def foresees(self, subject: Subject, stage: str) -> bool | None:
        """Whether the compiler refuses the program: from 3.12 on the pass does where the affinity
        analysis gives up; before, the scheduler does with some partitions."""
        program, asked = subject.program, _asked(subject)
        if program is None or not subject.resolved or stage != asked.name:
            return None
        try:
            if asked is not stages.SCHEDULE_EXECUTION:
                return None if analyze(program, subject.rules).converged else True
            placed = apply_placement(program, place_transfers(program, subject.rules))
            regions = set(transfer_regions(placed, subject.rules).values())
        except UnsupportedOperationError:
            return None
        return None if not regions or Outside.UNDECIDED in regions else Outside.FAILED in regions

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        run = judge.stock.opt(subject.text, *fault.stock_arguments, "--mlir-print-debuginfo")
        sites = transfer_sites(judge.find(run.output, [_TRANSFER])) if run.succeeded else {}
        return Confirmation(
            confirmed=fault.actual
            in {_actual(identity, _executes(subject, site)) for identity, site in sites.items()},
            commands=(run.command,),
            output=run.output or run.diagnostics,
        )

    def _fault(self, subject: Subject, difference: _Difference) -> Fault:
        stage = _asked(subject)
        (question,) = self.questions(subject)
        identity, rule = difference.transfer.identity, difference.rule
        return Fault(
            check=self.name,
            verdict=Verdict.DISAGREE,
            stage=stage.name,
            shape=(rule.name.lower().replace("_", "-"), *of_transfer(difference.transfer)),
            message=(
                f"{identity} is expected to execute on {_named(difference.expected)} "
                f"({rule.value}), the compiler says {_named(difference.actual)}"
            ),
            expected=(
                f"{identity} executes on {_named(difference.expected)}\n"
                f"because: {rule.value}\nthe op: {difference.transfer.assembly()}"
            ),
            actual=_actual(identity, difference.actual),
            stock_arguments=question.stock_arguments,
        )


def _reads(subject: Subject) -> bool:
    """Whether the program before the pass is read back: it is not the input, or not known yet."""
    return not subject.resolved or subject.program is None


def _asked(subject: Subject) -> Stage:
    """The pass whose answer is compared."""
    return stages.placement(subject.compiler.version) or stages.SCHEDULE_EXECUTION


def _differences(
    subject: Subject, program: Program, sites: Mapping[str, TransferSite]
) -> Iterator[_Difference]:
    """Each transfer that is still there and not where the model puts it, in the program's order."""
    placements = place_transfers(program, subject.rules)
    expected: Mapping[str, RegionAffinity] = {
        identity: placement.explicit for identity, placement in placements.items()
    }
    if stages.placement(subject.compiler.version) is None:
        expected = transfer_regions(apply_placement(program, placements), subject.rules)
    transfers = [one for one in program.operations() if isinstance(one, Transfer)]
    before, after = _copies(one.identity for one in transfers), _copies(sites)
    elsewhere: dict[str, Counter[RegionAffinity]] = defaultdict(Counter)
    """Where copies of an origin are that are not where they were expected."""
    misplaced: list[tuple[str, _Difference]] = []
    for operation in transfers:
        identity = operation.identity
        origin = origin_of(identity)
        if identity not in sites or after[origin] != before[origin]:
            continue
        wanted, actual = expected[identity], _executes(subject, sites[identity])
        if wanted not in (actual, Outside.UNDECIDED):
            rule = placements[identity].rule
            misplaced.append((origin, _Difference(operation, wanted, actual, rule)))
            elsewhere[origin][actual] += 1
    in_order = stages.placement(subject.compiler.version) is not None
    for origin, difference in misplaced:
        if not in_order and elsewhere[origin][difference.expected] > 0:
            # Regions may change places, and then their copies of one op do.
            elsewhere[origin][difference.expected] -= 1
        else:
            yield difference


def _copies(identities: Iterable[str]) -> Counter[str]:
    """How many transfers there are of each origin: a call that is inlined twice makes two. Copies
    are told apart by their order, which says nothing where the scheduler's patterns left only some
    of them."""
    return Counter(map(origin_of, identities))


def _executes(subject: Subject, site: TransferSite) -> RegionAffinity:
    """What the compiler decided for one transfer: its `on`, or its region's affinity."""
    if stages.placement(subject.compiler.version) is not None:
        return site.explicit
    return site.region if site.in_region else Outside.STRANDED


def _actual(identity: str, place: RegionAffinity) -> str:
    return f"{identity} executes on {_named(place)}"


def _named(place: RegionAffinity) -> str:
    if place is None:
        return "no device of its own (no on, or a region without affinity)"
    return f"no region: {place.value}" if isinstance(place, Outside) else str(place)
