"""What a program of the command level returns, against what it was written to return."""

from __future__ import annotations

from collections.abc import Iterator

from oracle.reading import command_level, command_parts
from reference.commands.breaches import Breach, breaches
from reference.commands.values import evaluate_commands
from reference.ir import Program, UnsupportedOperationError
from reference.values.content import OutOfBoundsError
from reference.values.evaluation import evaluate
from reference.values.inputs import Inputs
from reference.values.machine import EndlessError
from reference.values.outcome import Outcome, difference


def found(setting: command_level.Setting, program: Program, _: bool) -> Iterator[Breach]:
    """The first result, for any set of inputs, that is another than the input program's; none
    where `hazard` says why."""
    for inputs in setting.inputs:
        wrong = difference(
            _outcome(setting, setting.program, inputs), _outcome(setting, program, inputs)
        )
        if wrong is not None and not any(_breached(setting, program)):
            where = wrong.what if wrong.place is None else f"byte {wrong.place} of {wrong.what}"
            # `result 0 of @main` is a result, whichever and whose.
            yield Breach(
                shape=("changed", "in-memory", wrong.what.split()[0]),
                what=("changed", wrong.what),
                told=(f"{where} is to be {wrong.expected}", f"and is {wrong.actual}"),
            )
            return


def _breached(setting: command_level.Setting, program: Program) -> Iterator[Breach]:
    """What is wrong with memory or order, which `hazard` tells: the values may follow from it."""
    for trace in setting.traces(program):
        yield from breaches(trace, setting.grounds)


def not_before(_setting: command_level.Setting, _program: Program, _breach: Breach) -> None:
    """The program of the async level returns what it should: others have looked."""


def _outcome(setting: command_level.Setting, program: Program, inputs: Inputs) -> Outcome:
    """Raises UnsupportedOperationError for a run that does not come to its end too."""
    run = evaluate_commands if command_parts.has_commands(program) else evaluate
    try:
        return run(program, inputs, setting.terms, setting.interfaces)
    except (EndlessError, OutOfBoundsError) as error:
        raise UnsupportedOperationError(str(error)) from None
