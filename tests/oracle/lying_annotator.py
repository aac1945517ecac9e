"""`lying_worker.py` with lies about what `iree-stream-annotate-affinities` printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy

from lying_worker import LIES, OTHER_DEVICE, Answerer, Json, Lie, Reply, main

_PASS = "iree-stream-annotate-affinities"
_ELSEWHERE = {"text": OTHER_DEVICE}


def _about(name: str, attribute: str, change: Callable[[Json, str], None]) -> Lie:
    """A lie told of the last op of that name that has the attribute, in the first module read."""

    def told(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
        reply = real(request, note_step)
        key = f"stream.affinities{attribute}"
        for result in reply["results"]:
            if isinstance(result, dict):
                found = [
                    op for op in _ops(result) if op["name"] == name and key in op["attributes"]
                ]
                attributes = found[-1]["attributes"]
                # What the worker tells of an attribute is kept, and told again.
                attributes[key] = deepcopy(attributes[key])
                change(attributes, key)
                break
        return reply

    return told


def _ops(op: Json) -> Iterator[Json]:
    yield op
    for region in op["regions"]:
        for block in region:
            for inner in block["operations"]:
                yield from _ops(inner)


def _elsewhere(attributes: Json, key: str) -> None:
    attributes[key] = [_ELSEWHERE]


def _wider(attributes: Json, key: str) -> None:
    attributes[key][0] = [*attributes[key][0], _ELSEWHERE]


def _narrower(attributes: Json, key: str) -> None:
    attributes[key][0] = attributes[key][0][:1]


def _reversed(attributes: Json, key: str) -> None:
    attributes[key][0].reverse()


def _unknown(attributes: Json, key: str) -> None:
    attributes[key][0] = []


def _gone(attributes: Json, key: str) -> None:
    del attributes[key]


def _more(attributes: Json, key: str) -> None:
    attributes[key].append([])


def _unasked(attributes: Json, key: str) -> None:
    attributes["stream.affinities.results"] = [[_ELSEWHERE]]


def _skip(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
    """The pass does nothing."""
    steps = [["verify"] if _PASS in str(step) else step for step in request["steps"]]
    return real({**request, "steps": steps}, note_step)


_MADE = ".results.usage"

LIES.update(
    {
        "skip-annotation": _skip,
        "runs-elsewhere": _about("stream.async.dispatch", "", _elsewhere),
        "lives-wider": _about("stream.async.fill", ".operands", _wider),
        "used-narrower": _about("stream.async.splat", _MADE, _narrower),
        "used-out-of-order": _about("stream.async.splat", _MADE, _reversed),
        "made-unknown": _about("scf.for", ".results", _unknown),
        "made-unsaid": _about("scf.for", ".results", _gone),
        "made-twice": _about("scf.for", ".results", _more),
        "made-unasked": _about("util.return", ".operands", _unasked),
        "argument-unknown": _about("util.call", ".operands", _unknown),
    }
)

if __name__ == "__main__":
    main()
