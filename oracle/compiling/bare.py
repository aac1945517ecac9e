"""A compiler without Python bindings: `iree-opt` alone, asked as `CompilerProcess` is.

The passes are run, and their IR is printed, by the tool; a whole batch of programs goes through
each process (`oracle/compiling/chunks.py`). What it prints is read by the bindings that are
installed with crosscurrent, in generic form, in which no op's own syntax matters. Should the tool
print ops that these bindings do not know, because it is newer, the answer says so.

A request is taken from one `reparse` to the next. Up to there its passes are one pipeline, which
runs once for each form that its looks need: generic for what is read, custom for what is printed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from oracle.compiling import chunks
from oracle.compiling.answers import LOOKS, Answer, Diagnostic, Json, Outcome, Request
from oracle.compiling.chunks import MARKER, Chunk, Limits, ToolError, UnknownPassError
from oracle.compiling.compiler import CompilerProcess, CompilerUnavailable, Restarts
from oracle.compiling.stages import in_one

_FORMS: dict[str, tuple[str, ...]] = {
    "generic": ("--mlir-print-op-generic", "--mlir-print-debuginfo"),
    "located": ("--mlir-print-debuginfo",),
    "plain": (),
}
_NEWER = (
    "the installed IREE bindings do not read what this iree-opt prints, which is newer than they "
    "are or older: "
)


@dataclass(slots=True)
class _State:
    """A request on its way: the text that its current part starts from, the results so far."""

    request: Request
    text: str
    results: list[Json] = field(default_factory=list)
    answer: Answer | None = None
    sound: set[str] = field(default_factory=set)

    @property
    def at(self) -> int:
        """The step that comes next."""
        return len(self.results)


@dataclass(frozen=True, slots=True)
class _Part:
    """Steps of a request that one pipeline does: up to and with the next `reparse` or `keep`.

    `runs` are its pipelines; behind each, and before the first, the module is looked at.
    `looks` are (step, marker) of the steps that look; `forms` what they need.
    """

    steps: tuple[tuple[Any, ...], ...]
    runs: tuple[str, ...]
    run_steps: tuple[int, ...]
    looks: tuple[tuple[int, int], ...]
    forms: tuple[str, ...]


class BareCompiler:
    """`tool` is an `iree-opt`; `timeout` and `memory_limit` are for each program, `flags` are the
    tool's own. `reader` is the interpreter whose bindings read what the tool prints. Raises
    CompilerUnavailable. A context manager.
    """

    def __init__(
        self,
        tool: Path,
        reader: Path,
        timeout: float = 10.0,
        memory_limit: int = 4 << 30,
        flags: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._tool = tool
        self._flags = tuple(flags)
        self._limits = Limits(timeout, memory_limit)
        self._environment = environment
        self._reader = CompilerProcess(reader, timeout=timeout, memory_limit=memory_limit)
        self.restarts = Restarts()

    def __enter__(self) -> BareCompiler:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the reader; the tool's processes have ended."""
        self._reader.close()

    def ask(self, requests: Sequence[Request]) -> Generator[Answer, None, None]:
        """An answer for each request, in order. Raises CompilerUnavailable."""
        states = [_State(request, request.text) for request in requests]
        while True:
            groups: dict[_Part, list[_State]] = {}
            for state in states:
                if state.answer is None:
                    groups.setdefault(_part(state), []).append(state)
            if not groups:
                break
            for part, group in groups.items():
                self._take(part, group)
        for state in states:
            assert state.answer is not None
            yield state.answer

    def _take(self, part: _Part, group: Sequence[_State]) -> None:
        """One part of several requests."""
        by_form: dict[str, list[Chunk]] = {}
        try:
            for form in part.forms:
                # A look in another form comes from a run of its own.
                by_form[form] = self._chunks(part.runs, form, [state.text for state in group])
        except UnknownPassError as error:
            for state in group:
                at = next(
                    (step for step, one in zip(part.run_steps, part.runs, strict=True)
                     if str(error) in one),
                    0,
                )  # fmt: skip
                message = f"'{error}' does not refer to a registered pass or pass pipeline"
                _fail(state, at, "unknown-pass", (Diagnostic("error", message),))
            return
        except ToolError as error:
            raise CompilerUnavailable(str(error)) from None
        for place, state in enumerate(group):
            self._told(part, state, {form: found[place] for form, found in by_form.items()})
        self._look(part, group, by_form)

    def _chunks(self, runs: Sequence[str], form: str, texts: Sequence[str]) -> list[Chunk]:
        pipeline = in_one(_interleaved(runs))
        arguments = (*_FORMS[form], *self._flags, f"--pass-pipeline={pipeline}")
        found = list(
            chunks.run(self._tool, arguments, texts, len(runs) + 1, self._limits, self._environment)
        )
        for chunk in found:
            self._count(chunk.outcome)
        return found

    def _told(self, part: _Part, state: _State, chunks_of: Mapping[str, Chunk]) -> None:
        """Where a part did not come to its end, in any form, the request's answer is known."""
        for chunk in chunks_of.values():
            if chunk.outcome is Outcome.OK:
                continue
            met = len(chunk.texts)
            steps = (0, *part.run_steps)
            at = steps[min(met, len(steps) - 1)]
            if chunk.outcome is Outcome.FAILED:
                kind = "pass" if met else "parse"
                _fail(state, at, kind, chunk.diagnostics, chunk.seconds)
                return
            state.answer = Answer(
                chunk.outcome,
                step=state.at + at,
                seconds=chunk.seconds,
                signal=chunk.signal,
                exit_code=chunk.exit_code,
                stderr=chunk.stderr,
                computing=chunk.computing,
            )
            return

    def _look(
        self, part: _Part, group: Sequence[_State], by_form: Mapping[str, Sequence[Chunk]]
    ) -> None:
        """The results of the looks, and the text that the next part starts from.

        Of a request that failed on the way, what was seen before is told, too.
        """
        marker = dict(part.looks)
        reads: list[tuple[int, int]] = []
        trips: list[tuple[int, int]] = []
        results: list[list[Json]] = [[None] * len(part.steps) for _ in group]
        for place, state in enumerate(group):
            for step, (verb, *arguments) in enumerate(part.steps):
                form = _form((verb, *arguments))
                if form is None or step not in marker:
                    continue
                texts = by_form[form][place].texts
                if len(texts) <= marker[step] or not _told_of(state, step):
                    continue
                text = texts[marker[step]]
                if verb in ("read", "find", "keep"):
                    reads.append((place, step))
                elif verb == "roundtrip":
                    trips.append((place, step))
                elif verb == "print":
                    results[place][step] = text
                elif verb == "digest":
                    results[place][step] = hashlib.sha256(text.encode()).hexdigest()
                else:
                    state.text = text
        self._roundtrip(part, group, trips, by_form, results)
        self._read(part, group, reads, by_form, results)
        for state, told in zip(group, results, strict=True):
            answer = state.answer
            if answer is not None and answer.outcome is Outcome.FAILED:
                whole = (*state.results, *told)[: answer.step]
                state.answer = replace(answer, results=whole)
                continue
            if answer is not None:
                continue
            state.results += told
            if state.at == len(state.request.steps):
                state.answer = Answer(Outcome.OK, tuple(state.results), step=state.at)

    def _read(
        self,
        part: _Part,
        group: Sequence[_State],
        reads: Sequence[tuple[int, int]],
        by_form: Mapping[str, Sequence[Chunk]],
        results: Sequence[list[Json]],
    ) -> None:
        """Has the installed bindings read what the tool printed."""
        marker = dict(part.looks)
        requests = []
        for place, step in reads:
            text = by_form["generic"][place].texts[marker[step]]
            wanted = part.steps[step]
            last = (("print", True),) if wanted[0] == "keep" else ()
            requests.append(Request(text, (("parse",), wanted, *last)))
        for (place, step), answer in zip(reads, self._reader.ask(requests), strict=True):
            state = group[place]
            if answer.outcome is not Outcome.OK:
                if state.answer is None:
                    told = Diagnostic("error", _NEWER + answer.describe())
                    _fail(state, step, "internal", (told,))
            elif part.steps[step][0] == "keep":
                state.text = str(answer.results[-1])
            else:
                results[place][step] = answer.results[-1]

    def _roundtrip(
        self,
        part: _Part,
        group: Sequence[_State],
        trips: Sequence[tuple[int, int]],
        by_form: Mapping[str, Sequence[Chunk]],
        results: Sequence[list[Json]],
    ) -> None:
        """Has the tool read what it printed, in a process of its own, and print it again."""
        marker = dict(part.looks)
        # Not as alone: MLIR prints locations in an order that the file's name may decide.
        befores = [by_form["located"][place].raw[marker[step]] for place, step in trips]
        fresh = list(
            dict.fromkeys(
                text
                for (place, _), text in zip(trips, befores, strict=True)
                if text not in group[place].sound
            )
        )
        told = dict(zip(fresh, self._chunks((), "located", fresh), strict=True))
        for (place, step), before in zip(trips, befores, strict=True):
            state = group[place]
            if before in state.sound:
                continue
            chunk = told[before]
            if chunk.outcome is not Outcome.OK:
                results[place][step] = {
                    "before": before,
                    "diagnostics": [_plain(item) for item in chunk.diagnostics],
                }
            elif chunk.raw[0] != before:
                results[place][step] = {"before": before, "after": chunk.raw[0]}
            else:
                state.sound.add(before)

    def _count(self, outcome: Outcome) -> None:
        old = self.restarts
        self.restarts = replace(
            old,
            crash=old.crash + (outcome is Outcome.CRASH),
            hang=old.hang + (outcome is Outcome.HANG),
            memory=old.memory + (outcome is Outcome.MEMORY),
        )


def _part(state: _State) -> _Part:
    """The steps from where a request is up to its next text."""
    steps: list[tuple[Any, ...]] = []
    runs: list[str] = []
    run_steps: list[int] = []
    looks: list[tuple[int, int]] = []
    forms: dict[str, None] = {}
    for step in state.request.steps[state.at :]:
        one = tuple(map(_frozen, step))
        place = len(steps)
        steps.append(one)
        if one[0] == "run":
            runs.append(str(one[1]))
            run_steps.append(place)
        form = _form(one)
        known = state.at + place < state.request.known and one[0] in LOOKS
        if form is not None and not known:
            looks.append((place, len(runs)))
            forms[form] = None
        if one[0] in ("reparse", "keep"):
            break
    return _Part(
        tuple(steps), tuple(runs), tuple(run_steps), tuple(looks), tuple(forms) or ("located",)
    )


def _frozen(value: Json) -> Any:
    """A step's argument as something to compare requests by."""
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def _form(step: Sequence[Any]) -> str | None:
    """What a step needs the tool to print; None where it needs nothing."""
    verb = step[0]
    if verb in ("read", "find", "keep"):
        return "generic"
    if verb in ("digest", "roundtrip", "reparse"):
        return "located"
    if verb == "print":
        return "located" if step[1] else "plain"
    return None


def _interleaved(runs: Sequence[str]) -> Iterable[str]:
    """The pipelines, with the marker before the first and behind each."""
    marker = f"builtin.module({MARKER})"
    yield marker
    for one in runs:
        yield one
        yield marker


def _told_of(state: _State, step: int) -> bool:
    """Whether a step of the current part came to its end."""
    answer = state.answer
    if answer is None:
        return True
    return answer.outcome is Outcome.FAILED and state.at + step < answer.step


def _fail(
    state: _State,
    at: int,
    kind: str,
    diagnostics: tuple[Diagnostic, ...],
    seconds: float = 0.0,
) -> None:
    """Ends a request with a step that says no. The text of a later part is the tool's own: it is
    its `reparse` that failed where that does not parse."""
    step = state.at + at
    if kind == "parse" and state.at:
        step = state.at - 1
    state.answer = Answer(
        Outcome.FAILED, (), step=step, kind=kind, diagnostics=diagnostics, seconds=seconds
    )


def _plain(item: Diagnostic) -> Json:
    return {"severity": item.severity, "message": item.message, "location": None}
