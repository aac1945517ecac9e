"""`lying_worker.py` with lies about what `iree-stream-schedule-allocation` made."""

from __future__ import annotations

from collections.abc import Callable

from lying_worker import LIES, OTHER_DEVICE, Answerer, Json, Lie, Reply, main

_ALLOCA, _RELEASE = "stream.resource.alloca", "stream.resource.dealloca"


def _about(change: Callable[[list[Json]], None]) -> Lie:
    """A lie told in the list of ops that the last step found."""

    def told(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
        reply = real(request, note_step)
        change(reply["results"][-1])
        return reply

    return told


def _named(found: list[Json], name: str) -> list[Json]:
    return [op for op in found if op["name"] == name]


def _affinity(text: str, name: str) -> Callable[[list[Json]], None]:
    """All ops of that name are said to have another affinity."""

    def change(found: list[Json]) -> None:
        for op in _named(found, name):
            op["attributes"]["affinity"] = {"text": text}

    return change


def _no_affinity(found: list[Json]) -> None:
    for op in _named(found, _ALLOCA):
        del op["attributes"]["affinity"]


def _other_lifetime(found: list[Json]) -> None:
    for op in _named(found, _ALLOCA):
        op["result_types"][0] = "!stream.resource<staging>"


def _gone(found: list[Json]) -> None:
    found[:] = [op for op in found if op["name"] not in (_ALLOCA, _RELEASE)]


def _twice(found: list[Json]) -> None:
    found.insert(0, dict(_named(found, _ALLOCA)[0]))


def _kept(found: list[Json]) -> None:
    """Nothing is released."""
    found[:] = [op for op in found if op["name"] != _RELEASE]


def _unpacked(found: list[Json]) -> None:
    """Fewer values share an allocation."""
    for op in _named(found, "stream.resource.pack"):
        op["operand_types"] = op["operand_types"][1:]


BOTH = f"#hal.device.optimal<[#hal.device.affinity<@dev_a>, {OTHER_DEVICE}]>"

LIES.update(
    {
        "elsewhere": _about(_affinity(OTHER_DEVICE, _ALLOCA)),
        "anywhere": _about(_affinity(BOTH, _ALLOCA)),
        "on-one": _about(_affinity("#hal.device.affinity<@dev_a>", _ALLOCA)),
        "on-one-queue": _about(_affinity("#hal.device.affinity<@dev_a, [0]>", _ALLOCA)),
        "unreadable": _about(_affinity("#other.affinity<7>", _ALLOCA)),
        "nowhere": _about(_no_affinity),
        "released-elsewhere": _about(_affinity(OTHER_DEVICE, _RELEASE)),
        "other-lifetime": _about(_other_lifetime),
        "gone": _about(_gone),
        "twice": _about(_twice),
        "kept": _about(_kept),
        "unpacked": _about(_unpacked),
    }
)

if __name__ == "__main__":
    main()
