"""What crosscurrent itself does wrong on one program, in a worker, a check or the model: it is told
as that, and keeps no other program, and no other check, from an answer."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from oracle.checks.base import Check, Subject
from oracle.compiling.compiler import CompilerUnavailable
from oracle.examination import Examination
from oracle.examiner import Examiner, ExaminerError, UnreachableError
from oracle.verdict import Judgement, Mishap

T = TypeVar("T")


def attempted(run: Callable[[], T]) -> T | Mishap:
    """What `run` returns, or how it went wrong. Raises UnreachableError, CompilerUnavailable and
    OSError: with them all programs would go wrong."""
    try:
        return run()
    except (UnreachableError, CompilerUnavailable, OSError):
        raise
    except ExaminerError as error:
        return Mishap(str(error))
    except Exception:
        return Mishap(traceback.format_exc())


def examined(examiner: Examiner, subjects: Sequence[Subject]) -> list[Examination]:
    """The examinations of `subjects`, in order, with what went wrong on our side.

    What goes wrong on several programs together is looked for in each of them, then in each check.
    Raises as `attempted` does.
    """
    told = attempted(lambda: examiner.examine(subjects))
    if not isinstance(told, Mishap):
        return told
    alone = [_alone(examiner, subject) for subject in subjects]
    if not any(one.mishaps for one in alone):
        # It does not go wrong twice: any of them may have been the one.
        alone[0] = replace(alone[0], mishap=told)
    return alone


def _alone(examiner: Examiner, subject: Subject) -> Examination:
    told = _one(examiner, subject, examiner.checks)
    if not isinstance(told, Mishap):
        return told
    wrong: dict[str, Mishap] = {}
    for check in examiner.checks:
        alone = _one(examiner, subject, [check])
        if isinstance(alone, Mishap):
            wrong[check.name] = alone
    others = [check for check in examiner.checks if check.name not in wrong]
    rest = _one(examiner, subject, others) if wrong else told
    if isinstance(rest, Mishap):
        return Examination(subject, (), (), mishap=rest)
    failed = [Judgement(name, mishap=mishap) for name, mishap in wrong.items()]
    return replace(rest, judgements=(*rest.judgements, *failed))


def _one(examiner: Examiner, subject: Subject, checks: Sequence[Check]) -> Examination | Mishap:
    told = attempted(lambda: examiner.examine([subject], checks))
    return told if isinstance(told, Mishap) else told[0]
