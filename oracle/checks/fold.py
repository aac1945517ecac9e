"""`fold`: what one `canonicalize` leaves of a program, op by op and in order.

Of a program on tensors it is asked where IREE has made one on resources of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar, cast

from oracle.checks.base import (
    Confirmation,
    Judge,
    Question,
    QuestionBuilder,
    Subject,
    pass_pipeline,
)
from oracle.compiling import stages
from oracle.compiling.answers import Json
from oracle.compiling.stages import Stage
from oracle.reading.raw import RawOperation, location_name
from oracle.reading.reader import read_program
from oracle.reading.structure import Difference, Label, first_difference, label, locations
from oracle.verdict import Fault, Judgement, Verdict
from reference.folding import canonicalize
from reference.ir import UnsupportedOperationError
from reference.ops import Immediate, Yield

_STAGE = stages.CANONICALIZE
_NOT_WHOLE = "folding of a module that the model does not know whole"
_ENCODED = "materialize-encodings"
"""The first stage after which a program on tensors has no ops on tensors any more."""

_ENCODED_OPS = "folding of ops on tensors whose encodings are not materialized"

_OTHER_OPS = frozenset({"kind"})
"""The first words of shapes where the ops themselves are others."""


class Fold:
    """Asks the pass `canonicalize`, once."""

    name: ClassVar[str] = "fold"
    question: ClassVar[str] = "does one canonicalize leave what the rules leave"
    compares_order: ClassVar[bool] = True

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        builder = QuestionBuilder()
        way = _way(subject)
        for stage in way:
            builder.run(stage)
        if way:
            builder.step("reparse", "reparse").step("read", "read")
        builder.run(_STAGE).step("read", "read")
        return (builder.question(_passes(*way, _STAGE)),)

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        (answers,) = results
        if subject.program is None:
            return Judgement(self.name, unsupported=(_NOT_WHOLE,))
        before, read = subject.program, read_program(answers[-1])
        unsupported = read.unsupported
        if _way(subject):
            entered = read_program(answers[-3])
            before, unsupported = entered.program, (*entered.unsupported, *unsupported)
        if before.encoded:
            return Judgement(self.name, unsupported=(_ENCODED_OPS,))
        if unsupported:
            return Judgement(self.name, unsupported=tuple(map(str, unsupported)))
        try:
            expected = canonicalize(before, subject.rules)
        except UnsupportedOperationError as error:
            return Judgement(self.name, unsupported=(str(error),))
        difference = first_difference(expected, read.program)
        faults = () if difference is None else (self._fault(subject, difference),)
        return Judgement(self.name, faults)

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        """The stock tools show other ops than the model's, or the same ops where the fault is in
        what an op takes or says: that is not read once more."""
        run = judge.stock.opt(subject.text, *fault.stock_arguments, "--mlir-print-debuginfo")
        confirmed = False
        program = subject.program
        if program is not None and _way(subject):
            entered = judge.stock.opt(
                subject.text, _passes(*_way(subject)), "--mlir-print-debuginfo"
            )
            program = read_program(judge.read(entered.output)).program
        if run.succeeded and program is not None:
            left = canonicalize(program, subject.rules).operations()
            # Constants may lose their location, and a yield that is not printed does.
            ours = Counter(label(op) for op in left if not isinstance(op, Immediate | Yield))
            found = judge.find(run.output, sorted({name for name, _ in ours}))
            theirs = Counter(map(_label, cast("list[RawOperation]", found)))
            confirmed = (ours == theirs) == (fault.shape[0] not in _OTHER_OPS)
        return Confirmation(
            confirmed=confirmed, commands=(run.command,), output=run.output or run.diagnostics
        )

    def _fault(self, subject: Subject, difference: Difference) -> Fault:
        (question,) = self.questions(subject)
        return Fault(
            check=self.name,
            verdict=Verdict.DISAGREE,
            stage=_STAGE.name,
            shape=difference.shape,
            message=f"canonicalize leaves something else: {' '.join(difference.shape)}",
            expected=difference.expected,
            actual=difference.actual,
            stock_arguments=question.stock_arguments,
        )


def _way(subject: Subject) -> tuple[Stage, ...]:
    """The passes up to where a program on tensors is one on resources; none for any other."""
    if subject.program is None or not subject.program.tensors:
        return ()
    whole = stages.pipeline(subject.compiler.version, "lean")
    return whole[: [stage.name for stage in whole].index(_ENCODED) + 1]


def _passes(*way: Stage) -> str:
    return pass_pipeline(stages.in_one(stage.pipeline for stage in way))


def _label(operation: RawOperation) -> Label:
    """An op of the stock tools' output, as `label` gives those of the model."""
    return operation["name"], locations(location_name(operation) or "unknown")
