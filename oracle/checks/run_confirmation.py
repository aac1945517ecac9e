"""Whether IREE's own tools show what a run has shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from oracle.checks.accept import failure_shape
from oracle.checks.base import Confirmation, Judge, Subject
from oracle.compiling.stock import HANG, StockRun, first_failure
from oracle.running import replay, whole
from oracle.running.arming import Armed
from oracle.running.mixes import runs
from oracle.running.stock import FROM_FLOW, can_be_made, printed_difference, stock_program
from oracle.running.trial import Call, Expected, Trial
from oracle.signature import WHEN_CONCURRENT
from oracle.verdict import Fault, Verdict

RUN = "run"
"""The stage at which bytecode is run."""

_STATUS = re.compile(r"\b[A-Z]+(?:_[A-Z]+)*(?=;)")
_NO_BUFFER = re.compile(
    r"ref is null|requires a buffer but none was provided|indirect buffer reference slot"
)
"""How the runtime says that it was given no buffer: what looks at it first decides."""

_TRIES = 4
"""How often the tools are asked about what shows by chance."""


def confirmed(
    subject: Subject, fault: Fault, judge: Judge, armed: Armed, tried: Sequence[Trial]
) -> Confirmation:
    """Whether the tools show a fault of a program with kernels, and what they were asked."""
    told = Confirmation(False, (), "")
    tries = _TRIES if WHEN_CONCURRENT in fault.shape else 1
    for options in tuple(_stock_ways(armed, fault)) * tries:
        told = _confirmed(subject, fault, judge, armed, tried, options)
        if told.confirmed:
            break
    return told


def status(message: str) -> str:
    """The runtime's name for what went wrong."""
    if _NO_BUFFER.search(message):
        return "no-buffer"
    match = _STATUS.search(message)
    return "unnamed" if match is None else match[0].lower().replace("_", "-")


def _stock_ways(armed: Armed, fault: Fault) -> Iterator[tuple[str, ...]]:
    """The options of `iree-compile` to show a fault with: of a program on tensors, the whole
    compiler's first."""
    if armed.program.tensors:
        evaluated = fault.stage == whole.EVALUATED.stage
        yield whole.EVALUATED.options if evaluated else whole.WHOLE.options
    yield FROM_FLOW


def _confirmed(
    subject: Subject,
    fault: Fault,
    judge: Judge,
    armed: Armed,
    tried: Sequence[Trial],
    options: Sequence[str],
) -> Confirmation:
    """Whether the tools show a fault of a program that is compiled under these options."""
    with stock_program(judge.stock, armed.whole_text, options) as program:
        compiled = program.compiled
        if not compiled.succeeded:
            shown = failure_shape(compiled, fault.stage) == fault.shape
            failure = None if shown else compiled
            return Confirmation(shown, (compiled.command,), _said(compiled), failure)
        commands, output, failure = [compiled.command], _said(compiled), None
        for drivers, trial in runs(armed, tried):
            # What the first call leaves behind in globals the next process does not see.
            for call, expected in _first_calls(trial):
                ran = program.run(call, drivers)
                commands[1:], output = [ran.command], _said(ran)
                failure = failure or first_failure([ran])
                if shows(fault, ran, expected):
                    if subject.compiler.explicit_transfer_execution:
                        captured = program.capture(call, drivers)
                        commands += [run.command for run in captured]
                        output += replay.told(captured[-1].output, drivers)
                    return Confirmation(True, tuple(commands), output)
        return Confirmation(False, tuple(commands), output, failure)


def _first_calls(trial: Trial) -> Iterator[tuple[Call, list[Expected]]]:
    """The first call of each function that the tools can make, and what it returns."""
    first = {call.function: call for call in reversed(trial.calls)}
    for call in first.values():
        if can_be_made(call):
            name = f" of @{call.function}"
            yield call, [one for one in trial.expected if one.what.endswith(name)]


def _said(run: StockRun) -> str:
    return f"{run.outcome}\n{run.output}{run.diagnostics}"


def shows(fault: Fault, ran: StockRun, expected: Sequence[Expected]) -> bool:
    """Whether the stock runtime's run is the fault."""
    if WHEN_CONCURRENT in fault.shape:
        return not ran.succeeded or printed_difference(expected, ran.output) is not None
    if fault.verdict is Verdict.WRONG_VALUE:
        return ran.succeeded and printed_difference(expected, ran.output) is not None
    if fault.stage != RUN or ran.succeeded:
        return False
    if fault.verdict is Verdict.HANG or ran.outcome == HANG:
        return fault.verdict is Verdict.HANG and ran.outcome == HANG
    if fault.verdict is Verdict.CRASH or ran.lost:
        # Which signal it is may be chance.
        return fault.verdict is Verdict.CRASH and ran.lost
    return status(ran.diagnostics) in fault.shape
