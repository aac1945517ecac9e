"""`lying_worker.py` with lies about what the scheduling passes made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy

from lying_worker import LIES, OTHER_DEVICE, Answerer, Json, Lie, Reply, _refuse, main

_EXECUTE, _WAVE = "stream.async.execute", "stream.async.concurrent"


def _about(read: int, change: Callable[[Json], None]) -> Lie:
    """A lie told in the module that one of the `read` steps gives, counted from the last."""

    def told(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
        reply = real(request, note_step)
        places = [place for place, step in enumerate(request["steps"]) if step[0] == "read"]
        if reply["failure"]:
            return reply
        # The worker remembers results from one request to the next.
        results = deepcopy(reply["results"])
        change(results[places[read]])
        return {**reply, "results": results}

    return told


def _operations(op: Json) -> Iterator[tuple[list[Json], Json]]:
    """Every op with the list that it is in."""
    for region in op["regions"]:
        for block in region:
            for inner in block["operations"]:
                yield block["operations"], inner
                yield from _operations(inner)


def _first(module: Json, name: str) -> tuple[list[Json], Json]:
    return next(pair for pair in _operations(module) if pair[1]["name"] == name)


def _other_device(module: Json) -> None:
    _, region = _first(module, _EXECUTE)
    region["attributes"]["affinity"] = {"text": OTHER_DEVICE}


def _kept_affinity(module: Json) -> None:
    _, region = _first(module, _EXECUTE)
    region["regions"][0][0]["operations"][0]["attributes"]["affinity"] = {"text": OTHER_DEVICE}


def _swapped(module: Json) -> None:
    """The first two ops of the first region, where they do not depend on each other."""
    _, region = _first(module, _EXECUTE)
    inside = region["regions"][0][0]["operations"]
    inside[0], inside[1] = inside[1], inside[0]


def _other_kernel(module: Json) -> None:
    _, region = _first(module, _EXECUTE)
    region["regions"][0][0]["operations"][0]["attributes"]["entry_points"] = [
        {"symbol": ["ex", "no"]}
    ]


def _lost_wait(module: Json) -> None:
    """The last region waits for nothing."""
    regions = [op for _, op in _operations(module) if op["name"] == _EXECUTE]
    regions[-1]["attributes"]["operandSegmentSizes"]["integers"][-1] = 0
    regions[-1]["operands"].pop()


def _swapped_wave(module: Json) -> None:
    """The ops of the first wave."""
    _, wave = _first(module, _WAVE)
    inside = wave["regions"][0][0]["operations"]
    inside[0], inside[1] = inside[1], inside[0]


def _other_wave(module: Json) -> None:
    """The first wave is said to be made of other ops."""
    _, wave = _first(module, _WAVE)
    wave["location"], wave["locations"] = "elsewhere", []


LIES.update(
    {
        "other-device": _about(-2, _other_device),
        "kept-affinity": _about(-2, _kept_affinity),
        "swapped": _about(-2, _swapped),
        "other-kernel": _about(-2, _other_kernel),
        "lost-wait": _about(-2, _lost_wait),
        "swapped-wave": _about(-1, _swapped_wave),
        "other-wave": _about(-1, _other_wave),
        "refuse-waves": _refuse("iree-stream-schedule-concurrency"),
    }
)

if __name__ == "__main__":
    main()
