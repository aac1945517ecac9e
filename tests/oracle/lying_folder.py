"""`lying_worker.py` with lies about what `canonicalize` left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy

from lying_worker import LIES, OTHER_DEVICE, Answerer, Json, Lie, Reply, main


def _about(change: Callable[[Json], None]) -> Lie:
    """A lie told in the module that the last step read."""

    def told(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
        reply = real(request, note_step)
        # The worker remembers results from one request to the next.
        results = deepcopy(reply["results"])
        change(results[-1])
        return {**reply, "results": results}

    return told


def _blocks(op: Json) -> Iterator[Json]:
    for region in op["regions"]:
        for block in region:
            yield block
            for inner in block["operations"]:
                yield from _blocks(inner)


def _find(module: Json, location: str) -> tuple[list[Json], int]:
    """The list of ops that holds the one of this location, and its place there."""
    for block in _blocks(module):
        for place, op in enumerate(block["operations"]):
            if op["location"] == location:
                return block["operations"], place
    raise AssertionError(location)


def _op(module: Json, location: str) -> Json:
    operations, place = _find(module, location)
    return operations[place]


def _function(module: Json) -> Json:
    return next(
        op for block in _blocks(module) for op in block["operations"] if "func" in op["name"]
    )


def _gone(module: Json) -> None:
    operations, place = _find(module, "unused")
    del operations[place]


def _twice(module: Json) -> None:
    operations, place = _find(module, "unused")
    copy = deepcopy(operations[place])
    copy["results"] = [(number + 1000, text) for number, text in copy["results"]]
    operations.insert(place, copy)


def _swapped(module: Json) -> None:
    operations, place = _find(module, "a")
    operations[place : place + 2] = reversed(operations[place : place + 2])


def _other_device(module: Json) -> None:
    _op(module, "d")["attributes"]["affinity"] = {"text": OTHER_DEVICE}


def _other_operand(module: Json) -> None:
    op = _op(module, "d")
    _, one, other, *_ = op["operands"]
    op["operands"][1:3] = [other, one]


def _no_operand(module: Json) -> None:
    _op(module, "end")["operands"].pop()


def _constant_operand(module: Json) -> None:
    """One of the timepoints that are joined is said to be there already."""
    op = _op(module, "join")
    immediate = next(
        op
        for block in _blocks(module)
        for op in block["operations"]
        if op["name"] == "stream.timepoint.immediate"
    )
    op["operands"][0] = immediate["results"][0][0]


def _other_type(module: Json) -> None:
    op = _op(module, "b")
    op["results"] = [(number, "!stream.resource<external>") for number, _ in op["results"]]


def _more_arguments(module: Json) -> None:
    """The last block of the function has an argument."""
    _function(module)["regions"][0][-1]["arguments"].append((2000, "i32"))


def _more_blocks(module: Json) -> None:
    blocks = _function(module)["regions"][0]
    blocks.append({"arguments": [], "operations": [deepcopy(blocks[-1]["operations"][-1])]})


def _other_function(module: Json) -> None:
    _function(module)["attributes"]["sym_name"] = "other"


def _no_initializer(module: Json) -> None:
    for block in _blocks(module):
        block["operations"] = [op for op in block["operations"] if "initializer" not in op["name"]]


_CHANGES: tuple[Callable[[Json], None], ...] = (
    _gone, _twice, _swapped, _other_device, _other_operand, _no_operand, _constant_operand,
    _other_type, _more_arguments, _more_blocks, _other_function, _no_initializer,
)  # fmt: skip

LIES.update({change.__name__.strip("_").replace("_", "-"): _about(change) for change in _CHANGES})

if __name__ == "__main__":
    main()
