"""Which ops are at fault where a program does not return what it should, in words for any program.

Both sides of a comparison are run once more, with everything that is read noted down.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from reference.ir import Operation, Program
from reference.values.content import Content, WrongSizeError, first_difference
from reference.values.evaluation import evaluate, evaluate_storage
from reference.values.memory import ValueMemory
from reference.values.observation import (
    Origin,
    Setting,
    Work,
    kind_of,
    quietly,
    shown,
    word,
    work_of,
)
from reference.values.sharing import exposed, way
from reference.values.storage import Access, Race, Read, Storage, StorageMemory

REORDERED = "reordered"

CHANGED = "changed"
"""What begins the shape of a value that is another as SSA already."""

WRITTEN_OVER = "written-over"
"""What begins the shape of bytes that are another's when they are read."""

STOPPED = (CHANGED, "run")
"""A run that does not come to its end."""

_ANOTHER_VALUE = (CHANGED, "another-value")
"""What takes a value does with it what it did before, but takes another one."""


@dataclass(frozen=True, slots=True)
class Blame:
    """What went wrong: `shape` in words that hold for any program with the same cause, `ops` the
    ops at fault with what they did, for people. `writer` is the op that wrote over what it
    should have copied; None where it is not about that."""

    shape: tuple[str, ...]
    ops: tuple[str, ...]
    writer: Operation | None = None


def changed_value(before: Program, after: Program, setting: Setting, origin: Origin) -> Blame:
    """The first op of `after` that makes something else than it made in `before`, both as SSA."""
    (earlier, _), (later, stopped) = (work_of(one, setting, origin) for one in (before, after))
    known = _by_identity(earlier)
    turns: Counter[tuple[str, str] | None] = Counter()
    counts = Counter(work.kind for work in later)
    for work in later:
        # Of several ops made one, what the last of them made is what there is to make.
        parts = (work.identity, *work.identity.split("+"))
        made = [one for part in parts for one in known.get(part, ())]
        copies = [one for one in known.get(work.identity, ()) if one.kind == work.kind]
        if len(copies) == counts[work.kind] and stopped is None:
            # As many copies as there were: each makes what it made. How many a run that stopped
            # would have had nobody knows.
            made = [copies[turns[work.kind]]]
        turns[work.kind] += 1
        if made and all(work.made != one.made for one in made):
            operation = work.operation
            if all(work.taken != one.taken for one in made if one.does_as(work)) and any(
                one.does_as(work) for one in made
            ):
                same = next(one for one in made if one.does_as(work))
                return _another_value(same, work, earlier, later)
            kind = "in-place" if operation.tied else "new"
            return Blame((CHANGED, word(operation), kind), (shown(operation),))
    if stopped is not None:
        # An op that stops the run has made nothing.
        return Blame(_ANOTHER_VALUE if isinstance(stopped, WrongSizeError) else STOPPED, ())
    for work in later:
        given = known.get(work.identity, ())
        if not work.made and len(given) == 1 and _takes_another(given[0], work):
            return _another_value(given[0], work, earlier, later)
    return Blame(_ANOTHER_VALUE, ())


def _takes_another(before: Work, after: Work) -> bool:
    return before.does_as(after) and before.taken != after.taken


def _another_value(
    before: Work, after: Work, earlier: Sequence[Work], later: Sequence[Work]
) -> Blame:
    """What takes a value takes another one; in whose place, where nothing is left of what made
    that."""
    gone = _gone(before, after, earlier, later)
    missing = () if gone is None else (f"for-{word(gone)}",)
    return Blame((*_ANOTHER_VALUE, *missing), (shown(after.operation),))


def _gone(
    before: Work, after: Work, earlier: Sequence[Work], later: Sequence[Work]
) -> Operation | None:
    """The op that made the value in the place of which another is taken now, where nothing is left
    of that op."""
    wanted = next(one for one, now in zip(before.taken, after.taken, strict=True) if one != now)
    makers = (work for work in earlier if any(one is wanted for one in work.made))
    maker = next(makers, None)
    if maker is None or any(work.kind == maker.kind for work in later):
        return None
    return maker.operation


def written_over(
    before: Program | None, after: Program, last: Program, setting: Setting, origin: Origin
) -> Blame | None:
    """The first read in `after` of bytes that were written over too early or too late, which reads
    them right in `before` and which nothing has mended in `last`, the program in the end.

    `before` is the program from which a pass made `after`, None where storage had no meaning yet.
    None for a read that nothing orders with the write, in the end neither: the run might as well
    have gone the other way, and that is what there is to tell.
    """
    in_the_end = _wrong_reads(last, setting, origin)
    lasting = _places(in_the_end, origin)
    found = _wrong_reads(after, setting, origin)
    known = set() if before is None else _reads(_wrong_reads(before, setting, origin), origin)

    misreaders = {kind_of(one.read.operation, origin) for one in found.wrong}

    def rank(one: _Misreading) -> tuple[bool, bool, bool]:
        key = kind_of(one.read.operation, origin)
        # Who misreads writes something else, and who reads that is not at the cause.
        misled = one.writer is not None and kind_of(one.writer.operation, origin) in misreaders
        place = _place(one.read.operation, origin)
        return (key, one.turn) in known, misled, place not in lasting

    # Stable: in the order of the run.
    for one in sorted(found.wrong, key=rank):
        # A copy only passes on what another has written over before.
        if one.writer is not None and one.writer.operation.tied:
            reader, writer = one.read.operation, one.writer.operation
            if all(_racing(reader, writer, of.races, origin) for of in (found, in_the_end)):
                return None
            return _clobbered(before, after, one, one.writer, setting, origin)
    return Blame((WRITTEN_OVER, "unknown"), ())


def _by_identity(work: Iterable[Work]) -> dict[str, list[Work]]:
    found: dict[str, list[Work]] = {}
    for one in work:
        found.setdefault(one.identity, []).append(one)
    return found


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


@dataclass(frozen=True, slots=True)
class _Misreadings:
    """The reads of a run that see other bytes than as SSA, in order, and what raced in it."""

    wrong: tuple[_Misreading, ...]
    races: tuple[Race, ...]


def _wrong_reads(program: Program, setting: Setting, origin: Origin) -> _Misreadings:
    """What a run as storage reads that it does not as SSA."""
    values: list[tuple[Operation | None, Content]] = []
    quietly(lambda: evaluate(program, *setting.parts, memory=ValueMemory(values)))
    memory = StorageMemory(watch=True)
    quietly(lambda: evaluate_storage(program, *setting.parts, memory=memory))
    wrong = tuple(_differing(values, memory.reads, origin))
    return _Misreadings(wrong, tuple(memory.races))


def _differing(
    values: list[tuple[Operation | None, Content]], reads: list[Read], origin: Origin
) -> Iterator[_Misreading]:
    seen: dict[tuple[str, str] | None, int] = {}
    for (operation, expected), read in zip(values, reads, strict=False):
        if operation is not read.operation:
            return  # What the host misread has led the run elsewhere.
        key = kind_of(operation, origin)
        turn = seen[key] = seen.get(key, -1) + 1
        # Of a view that is returned as it came, storage knows the length that it was imported with.
        length = min(expected.length, read.content.length)
        place = first_difference(expected.part(0, length), read.content.part(0, length))
        if place is not None:
            yield _Misreading(read, _last_write(read, read.start + place), turn)


def _reads(found: _Misreadings, origin: Origin) -> set[tuple[tuple[str, str] | None, int]]:
    """What misreadings are known by in the programs of two stages."""
    return {(kind_of(one.read.operation, origin), one.turn) for one in found.wrong}


def _racing(
    reader: Operation | None, writer: Operation, races: tuple[Race, ...], origin: Origin
) -> bool:
    """Whether nothing orders two ops, of whatever stage, where they touch the same bytes."""
    wanted = {kind_of(reader, origin), kind_of(writer, origin)}
    return any(
        {kind_of(race.earlier.operation, origin), kind_of(race.later.operation, origin)} == wanted
        for race in races
    )


def _last_write(read: Read, byte: int) -> _Write | None:
    """Who wrote a byte of what was read last."""
    for access in reversed(read.storage.history[: read.turn]):
        if access.operation is not None and access.writes and access.start <= byte < access.end:
            return _Write(access.operation, access)
    return None


def _place(operation: Operation | None, origin: Origin) -> str | None:
    """What an op is known by in the programs of all stages; None for the caller."""
    return None if operation is None else origin(operation.identity)


def misread(program: Program, setting: Setting, origin: Origin) -> frozenset[str | None]:
    """Where the ops come from that read other bytes than as SSA; None for the caller."""
    return _places(_wrong_reads(program, setting, origin), origin)


def _places(found: _Misreadings, origin: Origin) -> frozenset[str | None]:
    return frozenset(_place(one.read.operation, origin) for one in found.wrong)


def _clobbered(
    before: Program | None,
    after: Program,
    wrong: _Misreading,
    writer: _Write,
    setting: Setting,
    origin: Origin,
) -> Blame:
    read = wrong.read
    reader = "the caller" if read.operation is None else shown(read.operation)
    cause = "not-copied" if before is None else _cause(before, wrong, writer, setting, origin)
    how = way(after, writer.operation, read.operation, wrong.turn)
    # In another order it does not matter under which name.
    shape = (WRITTEN_OVER, cause) if cause == REORDERED else (WRITTEN_OVER, cause, how)
    told = (f"{_told(writer.access)}, then", f"{reader} reads them")
    return Blame(shape, told, None if cause == REORDERED else writer.operation)


def exposes(program: Program, writer: Operation, origin: Origin) -> bool:
    """Whether a program, of whatever stage, has that op write in place what others use under
    another name."""
    wanted = kind_of(writer, origin)
    return any(
        kind_of(one, origin) == wanted and exposed(program, one) for one in program.operations()
    )


def _cause(
    before: Program, wrong: _Misreading, writer: _Write, setting: Setting, origin: Origin
) -> str:
    """What kept writer and reader apart in the program before: storage that is gone, or order."""
    memory = StorageMemory(watch=True)
    quietly(lambda: evaluate_storage(before, *setting.parts, memory=memory))
    wanted = kind_of(writer.operation, origin)

    def is_writer(one: Operation) -> bool:
        return kind_of(one, origin) == wanted

    # Copies of one op are numbered anew in each program, with all that comes from its place.
    same = writer.operation.identity
    written = _written_by(memory, lambda one: is_writer(one) and one.identity == same)
    written = written or _written_by(memory, is_writer)
    key = kind_of(wrong.read.operation, origin)
    readers = [one for one in memory.reads if kind_of(one.operation, origin) == key]
    if written is None or not readers:
        return "rewritten"
    # Of what a pass copies there was one before.
    read = readers[min(wrong.turn, len(readers) - 1)].storage
    if read is written:
        return REORDERED
    maker, now = written.maker, wrong.read.storage.maker
    if read.maker is not None and _identity(maker) == _identity(now):
        # The writer writes where it wrote: the reader had a copy of its own.
        return f"read-without-{word(read.maker)}"
    return "shared" if maker is None else f"without-{word(maker)}"


def _identity(operation: Operation | None) -> str | None:
    return None if operation is None else operation.identity


def _written_by(memory: StorageMemory, writes: Callable[[Operation], bool]) -> Storage | None:
    """The first storage that an op of that kind writes, of which there may be copies."""
    for storage in memory.made:
        for access in storage.history:
            if access.writes and access.operation is not None and writes(access.operation):
                return storage
    return None


def _told(access: Access) -> str:
    verb = "writes" if access.writes else "reads"
    operation = access.operation
    assert operation is not None
    return f"{shown(operation)} {verb} bytes {access.start} to {access.end}"
