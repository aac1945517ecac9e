"""What a compiler does with a program that breaks no promise: where it places, how it schedules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from oracle.checks.base import QuestionBuilder, Subject
from oracle.compiling import routes
from oracle.compiling.answers import USUAL, Outcome, Request
from oracle.compiling.stages import SCHEDULE_CONCURRENCY
from oracle.examiner import Examiner
from oracle.reading.raw import origin
from oracle.reading.reader import read_program
from oracle.reading.structure import first_difference
from oracle.signature import of_transfer
from reference.affinity import Affinity
from reference.ir import Program, walk
from reference.ops import Execute, Transfer

PLACEMENT, SCHEDULE = "placement", "schedule"

_AFTER = "schedule-concurrency"


@dataclass(frozen=True, slots=True)
class Change:
    """The first thing that one compiler does otherwise than the other, and what each does.

    The signature has no names: kinds of ops, lifetimes, and which end of a transfer executes it.
    """

    about: str
    signature: str
    baseline: str
    candidate: str


def scheduled(examiner: Examiner, subjects: Sequence[Subject]) -> list[Program | None]:
    """Each program with all its work in execution regions; None where the compiler does not get
    there, or the model does not know all that it makes."""
    requests = []
    for subject in subjects:
        builder = routes.whole(subject).before(SCHEDULE_CONCURRENCY.name).take(QuestionBuilder())
        builder.run(SCHEDULE_CONCURRENCY).step(_AFTER, "read")
        question = builder.question()
        requests.append(Request(subject.text, question.steps))
    found: list[Program | None] = []
    for answer in examiner.process(USUAL).ask(requests):
        read = read_program(answer.results[-1]) if answer.outcome is Outcome.OK else None
        found.append(read.program if read is not None and read.complete else None)
    return found


def change(baseline: Program, candidate: Program, program: Program | None) -> Change | None:
    """What differs between two schedules of one program, a transfer's place before all else.

    `program` is the input: what kind of transfer it is there tells the signature.
    """
    before, after = _places(baseline), _places(candidate)
    inputs = _transfers(program) if program is not None else {}
    for name, place in before.items():
        if name not in after or after[name] == place:
            continue
        transfer = inputs.get(name)
        kind = of_transfer(transfer) if transfer is not None else ("transfer",)
        ends = f"{_end(transfer, after[name])}-instead-of-{_end(transfer, place)}"
        shape = "/".join((*kind, ends))
        told = [f"{name} executes on {one or 'no device of its own'}" for one in
                (place, after[name])]  # fmt: skip
        if transfer is not None:
            told = [f"{one}\n{transfer.assembly()}" for one in told]
        return Change(PLACEMENT, f"changed/{PLACEMENT}/{shape}", *told)
    difference = first_difference(baseline, candidate)
    if difference is None:
        return None
    shape = "/".join(difference.shape)
    return Change(SCHEDULE, f"changed/{SCHEDULE}/{shape}", difference.expected, difference.actual)


def _places(program: Program) -> dict[str, Affinity | None]:
    """Where each transfer executes, by what it is called in the input: its region's affinity."""
    return {origin(transfer.identity): region.affinity for region, transfer in _in_regions(program)}


def _in_regions(program: Program) -> Iterator[tuple[Execute, Transfer]]:
    for operation in program.operations():
        if isinstance(operation, Execute):
            for inner in walk(operation.body):
                if isinstance(inner, Transfer):
                    yield operation, inner


def _transfers(program: Program) -> dict[str, Transfer]:
    return {
        operation.identity: operation
        for operation in program.operations()
        if isinstance(operation, Transfer)
    }


def _end(transfer: Transfer | None, place: Affinity | None) -> str:
    """Which of a transfer's ends an affinity is."""
    if place is None:
        return "no-device"
    if transfer is None:
        return "a-device"
    for word, affinity in (
        ("on", transfer.explicit_affinity),
        ("source", transfer.source_affinity),
        ("target", transfer.target_affinity),
    ):
        if affinity == place:
            return word
    return "another-device"
