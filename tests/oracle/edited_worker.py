"""`oracle/compiling/worker.py` of a compiler that a change has made another one.

The environment variable CROSSCURRENT_EDIT names the change: what one pass leaves is edited before
the next one sees it, in every program that has what is edited. The compiler behind it is the real
one, so the change is the only difference from it.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable

from lying_worker import Answerer, Lie, Reply, real_worker

Edit = Callable[[str], str]

PLACED = "iree-stream-place-transfer-executions"
SCHEDULED = "iree-stream-schedule-execution"
COPIED = "iree-stream-materialize-copy-on-write"
ELIDED = "iree-stream-elide-async-copies"
REFINED = "iree-stream-refine-usage"
ALLOCATED = "iree-stream-schedule-allocation"
WAITS = "iree-stream-propagate-timepoints"

_REFUSAL = "does not please the candidate"
_SLOW_SECONDS = 0.004


def _after(needle: str, edit: Edit) -> Lie:
    """The first step that runs this pass leaves another program, where `edit` makes one."""

    def told(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
        request = {**request, "known": 0}
        steps = request["steps"]
        ran = (place for place, step in enumerate(steps) if step[0] == "run" and needle in step[1])
        cut = next(ran, None)
        if cut is None:
            return real(request, note_step)
        head = real({**request, "steps": [*steps[: cut + 1], ["print", True]]}, note_step)
        if head["failure"] is not None:
            return head
        *results, text = head["results"]
        edited = edit(text)
        if edited == text:
            return real(request, note_step)
        rest = {**request, "text": edited, "steps": [["parse"], *steps[cut + 1 :]]}
        tail = real(rest, note_step)
        failure = tail["failure"]
        if failure is not None and failure["kind"] == "parse" and not failure["step"]:
            # Edited to something that is no program: the edit has nothing to say here.
            return real(request, note_step)
        if failure is not None:
            failure = {**failure, "step": failure["step"] + cut}
        whole = [*results, *tail["results"][1:]]
        times = [*head["times"][: cut + 1], *tail["times"][1:]]
        return {**tail, "results": whole, "times": times, "failure": failure}

    return told


def _refuse(needle: str, having: str) -> Lie:
    """The first step that runs this pass fails on programs with such an op."""

    def told(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
        reply = real({**request, "known": 0}, note_step)
        if having not in request["text"]:
            return reply
        for place, step in enumerate(request["steps"][: len(reply["results"]) + 1]):
            if step[0] == "run" and needle in step[1]:
                note = {"severity": "error", "message": _REFUSAL, "location": None, "notes": []}
                failure = {"step": place, "kind": "pass", "diagnostics": [note]}
                return {**reply, "results": reply["results"][:place], "failure": failure}
        return reply

    return told


def _slow(needle: str) -> Lie:
    """Every step that runs this pass takes longer."""

    def told(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
        reply = real(request, note_step)
        for place, step in enumerate(request["steps"][: len(reply["times"])]):
            if step[0] == "run" and needle in step[1]:
                began = time.process_time()
                while time.process_time() - began < _SLOW_SECONDS:
                    pass
                reply["times"][place] += _SLOW_SECONDS
        return reply

    return told


def _first(pattern: str, replacement: str | Callable[[re.Match[str]], str]) -> Edit:
    compiled = re.compile(pattern)
    return lambda text: compiled.sub(replacement, text, count=1)


def _every(pattern: str, replacement: str) -> Edit:
    compiled = re.compile(pattern)
    return lambda text: compiled.sub(replacement, text)


def _other_constant(found: re.Match[str]) -> str:
    return f"{found[1]}{(int(found[2]) + 1) % 100} :"


def _unwaited(text: str) -> str:
    found = list(re.finditer(r"await\(%[\w#]+\) => ", text))
    return text[: found[-1].start()] + text[found[-1].end() :] if found else text


def _dropped(needle: str, operand: int) -> Edit:
    """The first such op is gone: its result is one of its operands."""

    def edit(text: str) -> str:
        lines = text.splitlines()
        place = next((at for at, line in enumerate(lines) if needle in line), None)
        if place is None:
            return text
        gone = lines.pop(place)
        result, *operands = re.findall(r"%[\w#]+", gone)
        return re.sub(rf"{re.escape(result)}(?![\w#])", operands[operand], "\n".join(lines))

    return edit


def _without_lines(needle: str) -> Edit:
    """No such op, which makes nothing, is left."""
    return lambda text: "\n".join(line for line in text.splitlines() if needle not in line)


def _exchanged(needle: str) -> Edit:
    """Such ops run on @dev_b instead of @dev_a, and the other way round."""
    names = {"@dev_a": "@dev_b", "@dev_b": "@dev_a"}

    def edit(text: str) -> str:
        if "@dev_b : !hal.device" not in text:
            return text
        lines = text.splitlines()
        for place, line in enumerate(lines):
            if needle in line:
                head, on, rest = line.partition(" on(")
                where, close, tail = rest.partition(")")
                where = re.sub(r"@dev_[ab]\b", lambda found: names[found[0]], where)
                lines[place] = head + on + where + close + tail
        return "\n".join(lines)

    return edit


def _aborts(needle: str, having: str) -> Lie:
    """The process dies in this pass on programs with such an op."""

    def told(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
        for place, step in enumerate(request["steps"]):
            if step[0] == "run" and needle in step[1] and having in request["text"]:
                note_step(place)
                os.abort()
        return real(request, note_step)

    return told


def _reads_back_otherwise(having: str) -> Lie:
    """What is printed after the last pass reads back as something else."""

    def told(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
        reply = real(request, note_step)
        trips = [at for at, step in enumerate(request["steps"]) if step[0] == "roundtrip"]
        if trips and having in request["text"] and len(reply["results"]) > trips[-1]:
            reply["results"][trips[-1]] = {"before": "module {}", "after": "module { }"}
        return reply

    return told


def _every_other(having: str) -> Lie:
    """Every other answer has another last digest."""
    asked = [0]

    def told(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
        reply = real(request, note_step)
        digests = [at for at, step in enumerate(request["steps"]) if step[0] == "digest"]
        if digests and having in request["text"] and len(reply["results"]) > digests[-1]:
            asked[0] += 1
            if asked[0] % 2:
                reply["results"][digests[-1]] = "0" * 64
        return reply

    return told


EDITS: dict[str, Lie] = {
    "other-pattern": _after(
        PLACED, _first(r"(arith\.constant )(\d+) (?=: i(?:8|16|32|64)\b):", _other_constant)
    ),
    "other-kernel": _after(COPIED, _first(r"@ex::@a_rr_n\b", "@ex::@b_rr_n")),
    "without-on": _after(
        PLACED, _every(r"(stream\.async\.transfer) on\(#hal\.device\.affinity<[^>]*>\)", r"\1")
    ),
    "clone-dropped": _after(COPIED, _dropped("stream.async.clone", 0)),
    "fill-dropped": _after(ELIDED, _dropped("stream.async.fill", 1)),
    "update-dropped": _after(REFINED, _dropped("stream.async.update", 1)),
    "regions-exchanged": _after(SCHEDULED, _exchanged("stream.async.execute")),
    "lost-wait": _after(WAITS, _unwaited),
    "lost-wait-early": _after(SCHEDULED, _unwaited),
    "allocations-exchanged": _after(ALLOCATED, _exchanged("stream.resource.alloca")),
    "lost-flush": _after(ALLOCATED, _without_lines("stream.cmd.flush")),
    "lost-invalidate": _after(ALLOCATED, _without_lines("stream.cmd.invalidate")),
    "lost-command-fill": _after(ALLOCATED, _without_lines("stream.cmd.fill")),
    "lost-command-copy": _after(ALLOCATED, _without_lines("stream.cmd.copy")),
    "refuses-updates": _refuse(SCHEDULED, "stream.async.update"),
    "refuses-loops": _refuse("inline", "scf.for"),
    "aborts-on-slices": _aborts(REFINED, "stream.async.slice"),
    "reads-back-otherwise": _reads_back_otherwise("stream.async.clone"),
    "every-other-answer": _every_other("stream.async.dispatch"),
    "slow-allocation": _slow(ALLOCATED),
}


def main() -> None:
    """Serves as the real worker does, but for the change."""
    worker = real_worker()
    real: Answerer = worker.make_answerer()
    if len(sys.argv) > 3:
        worker.set_flags(sys.argv[3:])
    edit = EDITS[os.environ["CROSSCURRENT_EDIT"]]
    worker.serve(lambda request, note_step: edit(real, request, note_step))


if __name__ == "__main__":
    main()
