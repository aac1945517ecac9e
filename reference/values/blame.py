"""Which ops are at fault where a program does not return what it should, in words for any program.

Both sides of a comparison are run once more, with everything that is read noted down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from reference.ir import Operation, Program, UnsupportedOperationError
from reference.ops import (
    Clone,
    Constant,
    Copy,
    Dispatch,
    Fill,
    Slice,
    Splat,
    Store,
    Transfer,
    Update,
)
from reference.values.content import Content, OutOfBoundsError, first_difference
from reference.values.evaluation import evaluate, evaluate_storage
from reference.values.inputs import Inputs
from reference.values.kernels import Interfaces
from reference.values.machine import EndlessError, Machine
from reference.values.memory import ValueMemory
from reference.values.outcome import Outcome
from reference.values.sharing import ways
from reference.values.storage import Access, Race, Read, StorageMemory
from reference.values.terms import Terms

REORDERED = "reordered"

Origin = Callable[[str], str]
"""From an op's identity to what is the same for all copies of it."""

_COPIES = (Clone, Copy, Slice, Transfer, Update)
_WRITERS = (Clone, Constant, Copy, Dispatch, Fill, Slice, Splat, Store, Transfer, Update)


@dataclass(frozen=True, slots=True)
class Setting:
    """What both sides of a comparison are run with."""

    inputs: Inputs
    terms: Terms
    interfaces: Interfaces


@dataclass(frozen=True, slots=True)
class Blame:
    """What went wrong: `shape` in words that hold for any program with the same cause, `ops` the
    ops at fault with what they did, for people; `places` are where they come from."""

    shape: tuple[str, ...]
    ops: tuple[str, ...]
    places: frozenset[str | None] = frozenset()


def changed_value(before: Program, after: Program, setting: Setting, origin: Origin) -> Blame:
    """The first op of `after` that makes something else than it made in `before`, both as SSA."""
    earlier, later = _made(before, setting, origin), _made(after, setting, origin)
    known: dict[str, list[Content]] = {}
    for identity, _, contents in earlier:
        known.setdefault(identity, []).append(contents)
    for identity, operation, contents in later:
        if identity in known and contents not in known[identity]:
            kind = "in-place" if operation.tied else "new"
            return Blame(("changed", _word(operation), kind), (_shown(operation),))
    return Blame(("changed", "results"), ())


def written_over(
    before: Program | None, after: Program, last: Program, setting: Setting, origin: Origin
) -> Blame:
    """The first read in `after` of bytes that were written over too early or too late, and that
    nothing has mended in `last`, the program in the end.

    `before` is the program from which a pass made `after`, None where storage had no meaning yet.
    """
    lasting = misread(last, setting, origin)
    wrong = list(_wrong_reads(after, setting, origin))
    # Stable: what lasts comes first, in the order of the run.
    wrong.sort(key=lambda one: _place(one.read.operation, origin) not in lasting)
    for one in wrong:
        # A copy only passes on what another has written over before.
        if one.writer is not None and one.writer.operation.tied:
            return _clobbered(before, after, one, one.writer, setting, origin)
    return Blame(("written-over", "unknown"), ())


@dataclass(frozen=True, slots=True)
class _Write:
    """The write of an op."""

    operation: Operation
    access: Access


@dataclass(frozen=True, slots=True)
class _Misreading:
    """A read that sees other bytes than as SSA, who wrote the first of them last, if anybody did,
    and how often the same op has read before."""

    read: Read
    writer: _Write | None
    turn: int


def _wrong_reads(program: Program, setting: Setting, origin: Origin) -> Iterator[_Misreading]:
    """The reads that see other bytes than as SSA, in order."""
    values: list[tuple[Operation | None, Content]] = []
    _run(lambda: evaluate(program, *_parts(setting), memory=ValueMemory(values)))
    memory = StorageMemory(watch=True)
    _run(lambda: evaluate_storage(program, *_parts(setting), memory=memory))
    seen: dict[tuple[str, str] | None, int] = {}
    for (operation, expected), read in zip(values, memory.reads, strict=False):
        if operation is not read.operation:
            return  # What the host misread has led the run elsewhere.
        key = _key(operation, origin)
        turn = seen[key] = seen.get(key, -1) + 1
        place = first_difference(expected, read.content)
        if place is not None:
            yield _Misreading(read, _last_write(read, read.start + place), turn)


def _last_write(read: Read, byte: int) -> _Write | None:
    """Who wrote a byte of what was read last."""
    for access in reversed(read.storage.history[: read.turn]):
        if access.operation is not None and access.writes and access.start <= byte < access.end:
            return _Write(access.operation, access)
    return None


def _place(operation: Operation | None, origin: Origin) -> str | None:
    """What an op is known by in the programs of all stages; None for the caller."""
    return None if operation is None else origin(operation.identity)


def race(found: Race, origin: Origin) -> Blame:
    """Two accesses that nothing orders."""
    sides = (found.earlier, found.later)
    where = "within-a-region" if found.earlier.work == found.later.work else "between-regions"
    shape = ("race", *sorted(map(_kind, sides)), where, _relation(*sides))
    places = frozenset(_place(access.operation, origin) for access in sides)
    return Blame(shape, tuple(map(_told, sides)), places)


def misread(program: Program, setting: Setting, origin: Origin) -> frozenset[str | None]:
    """Where the ops come from that read other bytes than as SSA; None for the caller."""
    wrong = _wrong_reads(program, setting, origin)
    return frozenset(_place(one.read.operation, origin) for one in wrong)


def _clobbered(
    before: Program | None,
    after: Program,
    wrong: _Misreading,
    writer: _Write,
    setting: Setting,
    origin: Origin,
) -> Blame:
    read = wrong.read
    reader = "caller" if read.operation is None else _kind_of(read.operation)
    shown = "the caller" if read.operation is None else _shown(read.operation)
    cause = "not-copied" if before is None else _cause(before, wrong, writer, setting, origin)
    through = "+".join(ways(after, writer.operation, read.operation)) or "directly"
    shape = ["written-over", cause]
    if cause == REORDERED:
        shape.append(reader)
        if read.operation is not None:
            shape.append(_reader_relation(writer.access, read))
    else:
        shape.append(through)
        if through == "directly":
            shape.append("caller" if read.operation is None else "device")
    return Blame((*shape,), (f"{_told(writer.access)}, then", f"{shown} reads them"))


def _cause(
    before: Program, wrong: _Misreading, writer: _Write, setting: Setting, origin: Origin
) -> str:
    """What kept writer and reader apart in the program before: storage that is gone, or order."""
    memory = StorageMemory(watch=True)
    _run(lambda: evaluate_storage(before, *_parts(setting), memory=memory))
    wanted = _key(writer.operation, origin)
    written = next(
        (
            one.storage
            for one in memory.reads
            for access in one.storage.history
            if access.writes and _key(access.operation, origin) == wanted
        ),
        None,
    )
    key = _key(wrong.read.operation, origin)
    readers = [one for one in memory.reads if _key(one.operation, origin) == key]
    if written is None or wrong.turn >= len(readers):
        return "rewritten"
    if readers[wrong.turn].storage is written:
        return REORDERED
    maker = written.maker
    return "shared" if maker is None else f"without-{_word(maker)}"


def _key(operation: Operation | None, origin: Origin) -> tuple[str, str] | None:
    """What an op is known by in the programs of two stages; None for the caller."""
    return None if operation is None else (operation.mnemonic, origin(operation.identity))


def _made(program: Program, setting: Setting, origin: Origin) -> list[tuple[str, Operation, Any]]:
    """What each op that makes or changes resources made, in the order of the run."""
    found: list[tuple[str, Operation, Any]] = []

    def observe(operation: Operation, machine: Machine[Any]) -> None:
        if isinstance(operation, _WRITERS):
            contents = [machine.values[result.name] for result in operation.results]
            found.append((origin(operation.identity), operation, contents))

    _run(lambda: evaluate(program, *_parts(setting), observe=observe))
    return found


def _parts(setting: Setting) -> tuple[Inputs, Terms, Interfaces]:
    return setting.inputs, setting.terms, setting.interfaces


def _run(run: Callable[[], Outcome]) -> None:
    """A run of which only what was noted on the way is of interest, as far as it goes."""
    try:
        run()
    except (EndlessError, OutOfBoundsError, UnsupportedOperationError):
        return


def _relation(one: Access, other: Access) -> str:
    if one.affinity is None or other.affinity is None:
        return "unplaced"
    return "same-device" if one.affinity.device == other.affinity.device else "cross-device"


def _reader_relation(writer: Access, read: Read) -> str:
    readers = [one for one in read.storage.history if one.operation is read.operation]
    return _relation(writer, readers[0]) if readers else "unplaced"


def _kind(access: Access) -> str:
    if access.writes and access.operation is not None and access.operation.tied:
        return "in-place"
    return "caller" if access.operation is None else _kind_of(access.operation)


def _kind_of(operation: Operation) -> str:
    """Copies of all kinds are alike: a pass makes one of another."""
    return "copy" if isinstance(operation, _COPIES) else _word(operation)


def _told(access: Access) -> str:
    verb = "writes" if access.writes else "reads"
    operation = access.operation
    assert operation is not None
    return f"{_shown(operation)} {verb} bytes {access.start} to {access.end}"


def _shown(operation: Operation) -> str:
    return f"{operation.identity}: {operation.assembly()}"


def _word(operation: Operation) -> str:
    return operation.mnemonic.rpartition(".")[2]


__all__ = ["Blame", "Origin", "Setting", "changed_value", "race", "written_over"]
