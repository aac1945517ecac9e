"""A check's questions about a batch of programs, with the compiler's answers.

Looks that only tell where a fault came in are left out at first: most programs have none. A check
that cannot judge without them is given answers with all looks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from oracle.checks.base import UNSEEN, Check, Piecewise, Question, Subject, UnseenError
from oracle.compiling.answers import LOOKS, Answer, Outcome, Request, Seat
from oracle.compiling.inquiry import Inquiry
from oracle.verdict import Fault, Judgement

Pairs = list[tuple[Question, Answer | None]]
"""A check's questions about one program; one that was not put has no answer."""


def answered(
    check: Check, subjects: Mapping[int, Subject], refused: Mapping[int, Fault], inquiry: Inquiry
) -> Iterator[tuple[int, Pairs, Judgement | None]]:
    """A check's questions about each program, by the program's position, with their answers, and
    what the check says to them: None where it says nothing before all questions are answered.

    A question that runs through the stage which `refused` its program is not put. Raises
    `oracle.compiling.compiler.CompilerUnavailable`, and whatever the check raises.
    """
    asked: dict[int, Pairs] = {
        position: [(question, None) for question in check.questions(subject)]
        for position, subject in subjects.items()
    }
    open_questions = [
        (position, place)
        for position, pairs in asked.items()
        for place, (question, _) in enumerate(pairs)
        if not _barred(question, refused.get(position))
    ]
    _ask(inquiry, subjects, asked, open_questions, glance=True)
    told: dict[int, Judgement | None] = {}
    closer: list[int] = []
    for position, pairs in asked.items():
        try:
            told[position] = _told(check, subjects[position], pairs)
        except UnseenError:
            closer.append(position)
    again = [
        (position, place)
        for position, place in open_questions
        if position in closer and _left_out(*asked[position][place])
    ]
    _ask(inquiry, subjects, asked, again, glance=False)
    told |= {position: _told(check, subjects[position], asked[position]) for position in closer}
    return ((position, pairs, told[position]) for position, pairs in asked.items())


def _barred(question: Question, refusal: Fault | None) -> bool:
    return refusal is not None and (refusal.part_of or refusal.stage) in question.stages


def _left_out(question: Question, answer: Answer | None) -> bool:
    """Whether there is more to see on a way that came to its end."""
    return bool(question.deferred) and answer is not None and answer.outcome is Outcome.OK


def _ask(
    inquiry: Inquiry,
    subjects: Mapping[int, Subject],
    asked: Mapping[int, Pairs],
    places: Sequence[tuple[int, int]],
    glance: bool,
) -> None:
    """Puts the answers to some questions, each by its program and its place there, beside them."""
    requests: list[tuple[Seat, Request]] = []
    for position, place in places:
        question, _ = asked[position][place]
        short = _at_a_glance(question) if glance else range(len(question.steps))
        text = question.text or subjects[position].text
        requests.append((question.seat, Request(text, [question.steps[step] for step in short])))
    for (position, place), answer in zip(places, inquiry.answers(requests), strict=True):
        question, _ = asked[position][place]
        whole = _completed(question, answer) if glance else answer
        asked[position][place] = (question, whole)


def _at_a_glance(question: Question) -> Sequence[int]:
    """The steps of a question that are taken at first, by their places in it."""
    looks = [place for place, step in enumerate(question.steps) if step[0] in LOOKS]
    left_out = {looks[number] for number in question.deferred}
    return [place for place in range(len(question.steps)) if place not in left_out]


def _completed(question: Question, answer: Answer) -> Answer:
    """An answer at a glance as one to the whole question."""
    taken = _at_a_glance(question)
    if len(taken) == len(question.steps):
        return answer
    if answer.outcome is not Outcome.OK:
        return replace(answer, results=(), step=taken[answer.step])
    told = dict(zip(taken, answer.results, strict=True))
    results = tuple(told.get(place, UNSEEN) for place in range(len(question.steps)))
    return replace(answer, results=results, step=len(results), step_seconds=())


def _told(check: Check, subject: Subject, pairs: Pairs) -> Judgement | None:
    """What a check says to the answers of questions that came to an end."""
    results = [
        answer.results if answer is not None and answer.outcome is Outcome.OK else None
        for _, answer in pairs
    ]
    ended = [one for one in results if one is not None]
    if len(ended) == len(results):
        return check.judge(subject, ended)
    return check.judge_some(subject, results) if isinstance(check, Piecewise) else None
