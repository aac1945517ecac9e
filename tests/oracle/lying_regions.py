"""`oracle/compiling/worker.py` that edits scheduled IR where a function is called `@plant_NAME`.

The compiler behind it is the real one, so each lie is a fault that only the contracts can notice
and that the stock tools do not confirm. A function's name, unlike a comment, is still there when a
check asks about another version of the program.
"""

from __future__ import annotations

import copy
import importlib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Json = Any
Lie = Callable[[str, list[Json]], None]

ELSEWHERE = "#hal.device.affinity<@dev_c>"
_PLANT = re.compile(r"@plant_(\w+)")
_EXECUTE = "stream.async.execute"
_READ, _PRINT = -3, -2
"""Where a reply has the IR after scheduling."""
_EARLIER_PRINT = -5
"""Where it has the IR before."""


def _blocks(op: Json) -> Iterator[Json]:
    for region in op["regions"]:
        for block in region:
            yield block
            for inner in block["operations"]:
                yield from _blocks(inner)


def _regions(results: list[Json]) -> list[Json]:
    return [
        op
        for block in _blocks(results[_READ])
        for op in block["operations"]
        if op["name"] == _EXECUTE
    ]


def _block(region: Json) -> Json:
    return region["regions"][0][0]


def _lose_op(text: str, results: list[Json]) -> None:
    """The first region's first op is at no location of the program."""
    _block(_regions(results)[0])["operations"][0]["location"] = "elsewhere"


def _repeat_op(text: str, results: list[Json]) -> None:
    """The second region's first op has the location of the first region's."""
    one, other, *_ = (_block(region)["operations"][0] for region in _regions(results))
    other["location"] = one["location"]


def _strand_op(text: str, results: list[Json]) -> None:
    """The first region's first op stands before the region too."""
    for block in _blocks(results[_READ]):
        for place, op in enumerate(block["operations"]):
            if op["name"] == _EXECUTE:
                arguments = [item for item, _ in _block(op)["arguments"]]
                stranded = copy.deepcopy(_block(op)["operations"][0])
                stranded["results"] = [[1000, kind] for _, kind in stranded["results"]]
                stranded["operands"] = [
                    op["operands"][0] if item in arguments else item
                    for item in stranded["operands"]
                ]
                block["operations"].insert(place, stranded)
                return


def _lose_wait(text: str, results: list[Json]) -> None:
    """No region waits for anything."""
    for region in _regions(results):
        segments = region["attributes"]["operandSegmentSizes"]["integers"]
        if segments[-1]:
            del region["operands"][-1]
            segments[-1] = 0


def _lose_affinity(text: str, results: list[Json]) -> None:
    """The first region runs nowhere in particular."""
    del _regions(results)[0]["attributes"]["affinity"]


def _wrong_affinity(text: str, results: list[Json]) -> None:
    """The first region runs on a device that nobody named."""
    _regions(results)[0]["attributes"]["affinity"] = {"text": ELSEWHERE}


def _other_names_other_code(text: str, results: list[Json]) -> None:
    """Where the devices have new names, there is an op more."""
    if "@ant" in text:
        results[_PRINT] += "  stream.async.more\n"


def _earlier_code(text: str, results: list[Json]) -> None:
    """The same, before scheduling."""
    if "@ant" in text:
        results[_EARLIER_PRINT] += "  stream.async.more\n"


def _other_order_other_place(text: str, results: list[Json]) -> None:
    """Where ops and names are dealt out anew, the first region has no affinity."""
    if "@ant" not in text and text.index("@dev_c") < text.index("@dev_a"):
        _lose_affinity(text, results)


LIES: dict[str, Lie] = {
    "lose_op": _lose_op,
    "repeat_op": _repeat_op,
    "strand_op": _strand_op,
    "lose_wait": _lose_wait,
    "lose_affinity": _lose_affinity,
    "wrong_affinity": _wrong_affinity,
    "other_names_other_code": _other_names_other_code,
    "earlier_code": _earlier_code,
    "other_order_other_place": _other_order_other_place,
}


def real_worker() -> Any:
    """The module `oracle/compiling/worker.py`, for an interpreter that need not know of it."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    return importlib.import_module("oracle.compiling.worker")


def main() -> None:
    """Serves as the real worker does, but for planted lies about scheduled IR."""
    worker = real_worker()
    real = worker.make_answerer()

    def answer(request: dict[str, Json], note_step: Callable[[int], None]) -> dict[str, Json]:
        reply: dict[str, Json] = real(request, note_step)
        text = str(request["text"])
        plant = _PLANT.search(text)
        verbs = [step[0] for step in request["steps"]]
        if (
            plant is not None
            and reply["failure"] is None
            and verbs[_READ:] == ["read", "print", "reparse"]
        ):
            # The worker keeps the plain forms of attributes: a lie must not be kept with them.
            reply["results"] = copy.deepcopy(reply["results"])
            LIES[plant[1]](text, reply["results"])
        return reply

    worker.serve(answer)


if __name__ == "__main__":
    main()
