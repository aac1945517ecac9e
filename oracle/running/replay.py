"""What a replay capture says: which device was given which work, in which order.

A capture (`iree-run-module --device_replay_output`, from 3.12 on) is a list of records;
`iree-dump-replay --format=jsonl` prints one a line. It tells what was submitted, not what was done:
host waits and what a kernel reads and writes are not in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_COMMAND, _QUEUE = "command_buffer.", "device.queue_"
_COMMANDS = {"fill_buffer": "fill", "copy_buffer": "copy", "dispatch": "dispatch"}

Point = tuple[int, int]
"""A semaphore and the value that it is to reach."""


@dataclass(frozen=True, slots=True)
class QueueOperation:
    """Work given to a device's queue: `device` is its position, `kind` such as `execute` or
    `alloca`, `commands` what it is made of, with the bytes of fills and copies."""

    device: int
    kind: str
    commands: tuple[str, ...]
    waits: tuple[Point, ...]
    signals: tuple[Point, ...]


def queue_operations(lines: str) -> Iterator[QueueOperation]:
    """The work that a dumped capture says was given to devices, in order."""
    devices: dict[int, int] = {}
    commands: dict[int, list[str]] = {}
    for line in lines.splitlines():
        record: dict[str, Any] = json.loads(line)
        if record["kind"] == "object" and record["object_type"] == "device":
            devices.setdefault(record["object_id"], len(devices))
        if record["kind"] != "operation":
            continue
        operation, payload = record["operation"], record.get("payload", {})
        if operation.startswith(_COMMAND):
            command = _COMMANDS.get(operation.removeprefix(_COMMAND))
            if command is not None:
                commands.setdefault(record["object_id"], []).append(_sized(command, payload))
        elif operation.startswith(_QUEUE):
            yield QueueOperation(
                device=devices.get(record["device_id"], -1),
                kind=operation.removeprefix(_QUEUE),
                commands=tuple(commands.get(payload.get("command_buffer_id", -1), ())),
                waits=_points(payload, "wait_semaphores"),
                signals=_points(payload, "signal_semaphores"),
            )


def told(lines: str, drivers: Sequence[str]) -> str:
    """A dumped capture for people, one line a queue operation."""
    try:
        found = list(queue_operations(lines))
    except (ValueError, KeyError):
        return ""
    shown = ["", "what each device was given to do:"]
    for one in found:
        known = 0 <= one.device < len(drivers)
        where = f"device {one.device} ({drivers[one.device]})" if known else "another device"
        what = f"{one.kind} [{', '.join(one.commands)}]" if one.commands else one.kind
        shown.append(f"  {where}: {what}{_when('after', one.waits)}{_when('signals', one.signals)}")
    return "\n".join(shown) + "\n"


def _sized(command: str, payload: dict[str, Any]) -> str:
    target = payload.get("target")
    return command if target is None else f"{command} {target['length']}"


def _points(payload: dict[str, Any], name: str) -> tuple[Point, ...]:
    return tuple((one["semaphore_id"], one["value"]) for one in payload.get(name, ()))


def _when(word: str, points: Sequence[Point]) -> str:
    if not points:
        return ""
    return f", {word} {' '.join(f'#{semaphore}={value}' for semaphore, value in points)}"
