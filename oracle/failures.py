"""A step of the compiler that failed, as a fault: the program was not accepted at that stage."""

from __future__ import annotations

from oracle.checks.accept import Accept
from oracle.checks.base import Question, pass_pipeline
from oracle.checks.roundtrip import does_not_parse
from oracle.compiling.answers import Answer, Outcome
from oracle.compiling.stages import in_one
from oracle.crashes import Crash, Limits, Tool
from oracle.guilty import crashed_in_cleanup, in_cleanup, pass_of_class
from oracle.signature import left_by_conversion, of_refusal
from oracle.verdict import Fault, Verdict

_STRAY = "SIGSEGV"
_SAME_SIGNAL = {"SIGBUS": _STRAY}
"""Which of the two a stray pointer gives is chance."""
_SAME_AT_ONE_PLACE = {**_SAME_SIGNAL, "SIGABRT": _STRAY}
"""So it is at one and the same place whether a stray length asks for more memory than there is, at
which LLVM aborts."""


class WrongQuestionError(Exception):
    """crosscurrent asked for something that this compiler does not have; the message says what."""


def failure_fault(question: Question, answer: Answer, text: str, tool: Tool | None) -> Fault:
    """A step that failed, whichever check asked: the program was not accepted at that stage, or
    what the stage before printed does not parse.

    `text` is the module that was asked about; where the compiler died on it, `tool` tells where.
    Raises WrongQuestionError.
    """
    stage = question.stages[answer.step]
    if answer.outcome is Outcome.FAILED and question.steps[answer.step] == ("reparse",):
        return does_not_parse(question, answer)
    if answer.kind == "unknown-pass":
        raise WrongQuestionError(f"at {stage}: {answer.describe()}")
    crash = _crash(question, answer, text, tool)
    stage = _earlier(question, answer, crash) or stage
    verdict, shape = _shape(stage, answer, crash.site)
    fault = Fault(
        check=Accept.name,
        verdict=verdict,
        stage=stage,
        shape=shape,
        message=f"{stage}: {answer.describe()}",
        expected="the program is valid, so every pass accepts it",
        actual=f"{stage}: {answer.describe()}",
        stock_arguments=question.stock_arguments,
        text=question.text,
    )
    return in_cleanup(fault, crashed_in_cleanup(crash))


def _earlier(question: Question, answer: Answer, crash: Crash) -> str | None:
    """The stage whose own pass the stock tool crashed in, where that is one on the way: what reads
    stray memory may get by here and crash there. None where the stack tells of no such pass."""
    if crash.within is None:
        return None
    name = pass_of_class(crash.within)
    return name if name in question.stages[: answer.step] else None


def _crash(question: Question, answer: Answer, text: str, tool: Tool | None) -> Crash:
    """Where the compiler crashed; nowhere for what it does else.

    A conversion that reads stray memory may find something there that it takes for a type: then
    it contradicts itself instead, and the same program crashes the stock tool.
    """
    died = answer.outcome is Outcome.CRASH and answer.signal is not None
    astray = answer.outcome is Outcome.FAILED and left_by_conversion(answer.message)
    if tool is None or not (died or astray):
        return Crash()
    # No further than to where it crashed: what reads stray memory may get by, and crash later.
    taken = question.steps[: answer.step + 1]
    pipelines = [str(arguments[0]) for verb, *arguments in taken if verb == "run"]
    arguments = [pass_pipeline(in_one(pipelines))] if pipelines else []
    return tool.crash(text, arguments, Limits())


def _shape(stage: str, answer: Answer, site: str | None) -> tuple[Verdict, tuple[str, ...]]:
    if site is not None:
        # Two causes may end in one pass with one signal: the function tells them apart.
        signal = answer.signal or _STRAY
        return Verdict.CRASH, ("crash", _SAME_AT_ONE_PLACE.get(signal, signal), site)
    if answer.outcome is Outcome.CRASH:
        signal = answer.signal or "exit"
        return Verdict.CRASH, ("crash", _SAME_SIGNAL.get(signal, signal))
    if answer.outcome is Outcome.MEMORY:
        return Verdict.CRASH, ("crash", "memory")
    if answer.outcome is Outcome.HANG:
        return Verdict.HANG, ("hang",)
    notes = "\n".join(note.message for one in answer.diagnostics for note in (one, *one.notes))
    return Verdict.REJECTED, (of_refusal(stage, answer.message, notes),)
