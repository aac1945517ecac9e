"""`affinity`: where every op may run and every resource may live, by IREE's whole-program analysis.

Asked of `iree-stream-annotate-affinities` at three points: on the input, before transfers are
placed, and on scheduled IR before allocation. The annotated module is read once: what the pass
prints is taken off its ops, and the model is given what is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import ClassVar, cast

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
from oracle.reading.annotations import (
    GLOBAL,
    PREFIX,
    Annotations,
    annotations_of,
    resolved,
    strip,
    strip_globals,
)
from oracle.reading.raw import RawAttribute, RawOperation, place
from oracle.reading.reader import read_program
from oracle.verdict import Fault, Judgement, Verdict
from reference.analysis import Affinities, AffinityAnalysis, analyze
from reference.analysis.explorer import NO_VALUE, Node
from reference.ir import Program, UnsupportedOperationError, walk
from reference.ops import OPERATIONS, Execute
from reference.ops.tensor_phase import TENSOR_OPERATIONS
from reference.types import TensorType

_PROMISE = "#hal.device.promise<"
_ALLOCATED = "schedule-allocation"
_ABSENT = "absent"
_FOUND = sorted({*OPERATIONS, *TENSOR_OPERATIONS, GLOBAL})


@dataclass(frozen=True, slots=True)
class _Point:
    """Where in the pipeline to ask: at the end of a way, or of the input. `name` is the step's, for
    blame."""

    name: str
    route: routes.Route | None


@dataclass(frozen=True, slots=True)
class _Difference:
    """One attribute of one op that the pass and the model do not agree on."""

    op: RawOperation
    node: Node | None
    """The op in the analysis, None for a global."""
    analysis: AffinityAnalysis
    attribute: str
    expected: RawAttribute | None
    actual: RawAttribute | None


class AffinityAgreement:
    """Asks the affinity analysis for all that it prints."""

    name: ClassVar[str] = "affinity"
    question: ClassVar[str] = "does each op run, and each resource live, where the rules say"

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        return tuple(_question(point) for point in _points(subject))

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        return self.judge_some(subject, results)

    def judge_some(self, subject: Subject, results: Sequence[Sequence[Json] | None]) -> Judgement:
        """The verdict on the points in the pipeline that were reached."""
        unsupported: dict[str, None] = {}
        for point, answers in zip(_points(subject), results, strict=True):
            if answers is None:
                continue
            module = cast(RawOperation, answers[-1])
            program = None if point.route or _on_tensors(subject) else subject.program
            kept, annotated = strip_globals(module), list(strip(module, tensors=program is None))
            if _PROMISE in subject.text:
                for _, annotations in (*kept.values(), *annotated):
                    annotations.update(
                        (name, resolved(value)) for name, value in annotations.items()
                    )
            if program is None:
                read = read_program(module, tensors=True)
                if read.unsupported:
                    unsupported.update(dict.fromkeys(map(str, read.unsupported)))
                    continue
                program = read.program
            difference: _Difference | None = None
            try:
                analysis = analyze(program, subject.rules)
                if not analysis.converged:
                    return Judgement(self.name, (self._unexpected_end(point),))
                difference = _first_difference(program, analysis, kept, annotated)
            except UnsupportedOperationError as error:
                unsupported[str(error)] = None
            if difference is not None:
                return Judgement(self.name, (self._fault(point, difference),))
            if point.route is None and subject.rules.while_yield_reaches_results:
                # A rule that is itself a fault of the release, and mended since.
                sound = replace(subject.rules, while_yield_reaches_results=False)
                analysis = analyze(program, sound)
                difference = _first_difference(program, analysis, kept, annotated)
            if difference is not None:
                fault = self._fault(point, difference)
                return Judgement(self.name, (replace(fault, shape=_YIELDED),))
        return Judgement(self.name, unsupported=tuple(unsupported))

    def foresees(self, subject: Subject, stage: str) -> bool | None:
        """Whether the analysis of the input gives up."""
        if subject.program is None or stage != stages.ANNOTATE_AFFINITIES.name:
            return None
        if _on_tensors(subject):
            return None
        try:
            return not analyze(subject.program, subject.rules).converged
        except UnsupportedOperationError:
            return None

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        run = judge.stock.opt(subject.text, *fault.stock_arguments, "--mlir-print-debuginfo")
        told: set[str] = set()
        if run.succeeded:
            for op in cast("list[RawOperation]", judge.find(run.output, _FOUND)):
                told.update(_told(op, name, value) for name, value in annotations_of(op).items())
        absent = fault.actual.endswith(_ABSENT) and fault.expected not in told
        return Confirmation(
            confirmed=run.succeeded and (absent or fault.actual in told),
            commands=(run.command,),
            output=run.output or run.diagnostics,
        )

    def _fault(self, point: _Point, difference: _Difference) -> Fault:
        expected = _told(difference.op, difference.attribute, difference.expected)
        actual = _told(difference.op, difference.attribute, difference.actual)
        return Fault(
            check=self.name,
            verdict=Verdict.DISAGREE,
            stage=stages.ANNOTATE_AFFINITIES.name,
            shape=_shape(difference),
            message=f"the model says {expected}\nthe compiler says {actual}",
            expected=expected,
            actual=actual,
            stock_arguments=_question(point).stock_arguments,
        )

    def _unexpected_end(self, point: _Point) -> Fault:
        return Fault(
            check=self.name,
            verdict=Verdict.DISAGREE,
            stage=stages.ANNOTATE_AFFINITIES.name,
            shape=("converged-unforeseen",),
            message="the model says that the analysis does not come to an end, but it did",
            expected="the analysis gives up",
            actual="the analysis came to an end",
            stock_arguments=_question(point).stock_arguments,
        )


_YIELDED = ("yielded-taken-for-result",)
"""What `while_yield_reaches_results` of `reference.releases.Release` does to a program."""


def _on_tensors(subject: Subject) -> bool:
    """Whether the text has ops on tensors, of which the program is only what they mean."""
    return subject.program is not None and subject.program.tensors


def _points(subject: Subject) -> tuple[_Point, ...]:
    """The input; where placement does not take it as it is, the IR that placement takes; the IR
    before allocation, unless the input is scheduled already. The input alone, where that is asked.
    """
    name = stages.ANNOTATE_AFFINITIES.name
    points = [_Point(name, None)]
    if subject.alone:
        return tuple(points)
    whole = routes.whole(subject)
    if not subject.resolved:
        placed = stages.placement(subject.compiler.version) or stages.SCHEDULE_EXECUTION
        points.append(_Point(f"{name}-before-placement", whole.before(placed.name)))
    if not routes.mentions(subject, Execute.mnemonic):
        route = routes.scheduling(subject) if subject.resolved else whole.before(_ALLOCATED)
        points.append(_Point(f"{name}-before-allocation", route))
    return tuple(points)


def _question(point: _Point) -> Question:
    builder, annotate = QuestionBuilder(), stages.ANNOTATE_AFFINITIES
    if point.route is not None:
        point.route.take(builder)
    builder.step(point.name, "run", annotate.pipeline).step("read", "read")
    if point.route is None:
        return builder.question(pass_pipeline(annotate.pipeline))
    return builder.question(point.route.stock_arguments(annotate))


def _global_differences(
    program: Program,
    analysis: AffinityAnalysis,
    annotated: Mapping[str, tuple[RawOperation, Annotations]],
) -> Iterator[_Difference]:
    """What differs of globals. Only tensors are asked where they live."""
    expectations = _Expectations(analysis)
    for one in program.globals:
        op, actual = annotated[one.name]
        expected: Annotations = {}
        lives = analysis.global_affinity(one.name)
        if isinstance(one.type, TensorType) and lives:
            expected[""] = expectations.tell(lives)
        if expected != actual:
            yield _Difference(op, None, analysis, "", expected.get(""), actual.get(""))


def _first_difference(
    program: Program,
    analysis: AffinityAnalysis,
    kept: Mapping[str, tuple[RawOperation, Annotations]],
    annotated: Sequence[tuple[RawOperation, Annotations]],
) -> _Difference | None:
    differences = chain(
        _global_differences(program, analysis, kept), _differences(program, analysis, annotated)
    )
    return next(differences, None)


def _differences(
    program: Program,
    analysis: AffinityAnalysis,
    annotated: Sequence[tuple[RawOperation, Annotations]],
) -> Iterator[_Difference]:
    """What differs, op by op in the module's order."""
    operations = (operation for region in program.bodies() for operation in walk(region))
    expectations = _Expectations(analysis)
    for operation, (op, actual) in zip(operations, annotated, strict=True):
        node = analysis.explorer.node(operation)
        expected = expectations.of(node)
        if expected != actual:
            for name in sorted({*expected, *actual}):
                if expected.get(name) != actual.get(name):
                    yield _Difference(
                        op, node, analysis, name, expected.get(name), actual.get(name)
                    )


class _Expectations:
    """What the pass is to say of each op, in the worker's form. A value is told once."""

    def __init__(self, analysis: AffinityAnalysis) -> None:
        self._analysis = analysis
        self._tracked = analysis.explorer.tracked
        self._told: dict[Affinities | None, RawAttribute] = {}
        self._values: dict[int, tuple[RawAttribute, RawAttribute]] = {}

    def of(self, node: Node) -> Annotations:
        """Its annotations; those that would be empty are left out."""
        expected: Annotations = {}
        if node.operation.requires_affinity:
            execution = self._analysis.execution_of(node)
            if execution:
                expected[""] = self.tell(execution)
        for role, numbers in ((".operands", node.inputs), (".results", node.results)):
            values = [
                self._value(number)
                for number in numbers
                if number != NO_VALUE and self._tracked[number]
            ]
            if values:
                expected[role] = [resource for resource, _ in values]
                expected[f"{role}.usage"] = [usage for _, usage in values]
        return expected

    def _value(self, number: int) -> tuple[RawAttribute, RawAttribute]:
        told = self._values.get(number)
        if told is None:
            resource, usage = self._analysis.resource_of(number), self._analysis.usage_of(number)
            told = self._values[number] = (self.tell(resource), self.tell(usage))
        return told

    def tell(self, affinities: Affinities | None) -> RawAttribute:
        """A set in the worker's form."""
        told = self._told.get(affinities)
        if told is None:
            told = self._told[affinities] = [{"text": str(item)} for item in affinities or ()]
        return told


def _told(op: RawOperation, name: str, value: RawAttribute | None) -> str:
    """One annotation, for people and to be found again."""
    return f"{op['name']} at {place(op)}: {PREFIX}{name} = {_written(value)}"


def _written(value: RawAttribute | None) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return str(value["text"]) if isinstance(value, dict) else _ABSENT


def _shape(difference: _Difference) -> tuple[str, ...]:
    """Which attribute of which kind of op, how both answers stand to each other, and for values
    what makes them."""
    kind = (difference.attribute.lstrip(".") or "execution").replace(".", "-")
    mnemonic = difference.op["name"].rpartition(".")[2]
    expected, actual = difference.expected, difference.actual
    if not isinstance(expected, list) or not isinstance(actual, list):
        return (kind, mnemonic, "missing" if actual is None else "unexpected")
    if not difference.attribute:
        return (kind, mnemonic, _relation(expected, actual))
    pairs = list(zip(expected, actual, strict=False))
    position = next((place for place, (one, other) in enumerate(pairs) if one != other), None)
    if position is None:
        return (kind, mnemonic, "other-number")
    one, other = pairs[position]
    assert isinstance(one, list)
    assert isinstance(other, list)
    return (kind, mnemonic, _relation(one, other), f"of-{_maker(difference, position)}")


def _maker(difference: _Difference, position: int) -> str:
    """The kind of op that makes the operand or result at a position among those that are told."""
    node, explorer = difference.node, difference.analysis.explorer
    assert node is not None, "only ops have operands and results"
    numbers = node.inputs if difference.attribute.startswith(".operands") else node.results
    values = [number for number in numbers if number != NO_VALUE and explorer.tracked[number]]
    producer = explorer.producers[values[position]]
    return "argument" if producer is None else producer[0].operation.mnemonic.rpartition(".")[2]


def _relation(expected: list[RawAttribute], actual: list[RawAttribute]) -> str:
    """How the compiler's set stands to the model's."""
    one, other = set(map(_written, expected)), set(map(_written, actual))
    if not one or not other:
        return "known" if other else "unknown"
    if one == other:
        return "order"
    if one < other:
        return "wider"
    return "narrower" if other < one else "different"
