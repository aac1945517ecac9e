"""The journal of a run: a line for each finished block, added when it is finished.

A line is a checksum, a space, and a JSON object. Whatever moment a process is killed at, all lines
are whole but perhaps the last one, which is then cut off and its block run again. The names of
covered cells are written once and named by number from then on.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
import zlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oracle.campaigns.counts import BlockRecord, Cause, Oddity
from oracle.verdict import State

_SYNC_SECONDS = 1.0
"""What is lost at most when the machine itself dies, not just a process."""


class JournalError(Exception):
    """A journal, or what lies beside it, cannot be used; the message says which, and what to do."""


class JournalBusyError(JournalError):
    """Another process is writing this journal: its run is under way."""


@dataclass(slots=True)
class JournalContents:
    """What a journal says. `length` is how many of its bytes are whole lines."""

    records: list[BlockRecord] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    complete: bool = False
    """Whether the run came to its end."""
    length: int = 0


class Journal:
    """A journal open for writing, by one process at a time. Raises JournalError, OSError.

    What an earlier session left is in `earlier`; a line that it did not finish is cut off.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.earlier = read_journal(path)
            self._length = self.earlier.length
            os.ftruncate(self._file, self._length)
        except BlockingIOError:
            os.close(self._file)
            raise JournalBusyError(f"the run of {path.parent} is under way") from None
        except BaseException:
            os.close(self._file)
            raise
        self._numbers = {name: number for number, name in enumerate(self.earlier.names)}
        self._synced = time.monotonic()

    def block(self, record: BlockRecord) -> None:
        """Adds a finished block. Raises OSError, and then the journal is as before."""
        fresh = [name for name in record.cells if name not in self._numbers]
        numbers = self._numbers | {
            name: number for number, name in enumerate(fresh, len(self._numbers))
        }
        told = _encoded(record)
        if fresh:
            told["cell_names"] = fresh
        if record.cells:
            told["cells"] = [[numbers[name], count] for name, count in record.cells.items()]
        self._write(told)
        self._numbers = numbers

    def end(self) -> None:
        """Says that the run came to its end."""
        self._write({"end": True})

    def close(self) -> None:
        """Lets another process write."""
        os.fsync(self._file)
        os.close(self._file)

    def _write(self, told: dict[str, Any]) -> None:
        line = line_of(told)
        try:
            written = os.write(self._file, line)
            if written < len(line):
                # A disk that is full takes a part; asked for the rest, it says why.
                os.write(self._file, line[written:])
        except OSError as error:
            os.ftruncate(self._file, self._length)
            raise OSError(error.errno, error.strerror, str(self.path)) from None
        self._length += len(line)
        if time.monotonic() - self._synced >= _SYNC_SECONDS:
            os.fsync(self._file)
            self._synced = time.monotonic()


def is_under_way(path: Path) -> bool:
    """Whether a process is writing this journal. Raises OSError."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        return False
    return False


def line_of(told: dict[str, Any]) -> bytes:
    """A line of a journal."""
    text = json.dumps(told, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def read_journal(path: Path) -> JournalContents:
    """What a journal holds up to its last whole line. Raises JournalError, OSError."""
    contents = JournalContents()
    lines = path.read_bytes().splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        told = _checked(line)
        if told is None:
            if number == len(lines):
                break
            raise JournalError(
                f"{path} is damaged in line {number} of {len(lines)}. Nothing was changed. Without "
                "that line and all after it the run can be resumed; the blocks they were about are "
                "then run again"
            )
        try:
            _take(contents, told)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise JournalError(
                f"{path}, line {number}: not what this version of crosscurrent writes ({error!r})"
            ) from None
        contents.length += len(line)
    return contents


def _checked(line: bytes) -> dict[str, Any] | None:
    """The object in a line, None where the line is not as it was written."""
    mark, _, text = line.rstrip(b"\n").partition(b" ")
    if not line.endswith(b"\n") or mark != b"%08x" % zlib.crc32(text):
        return None
    told: dict[str, Any] = json.loads(text)
    return told


def _take(contents: JournalContents, told: dict[str, Any]) -> None:
    if "end" in told:
        contents.complete = True
        return
    contents.names += told.get("cell_names", ())
    record = _decoded(told)
    for number, count in told.get("cells", ()):
        record.cells[contents.names[number]] = count
    contents.records.append(record)


def _encoded(record: BlockRecord) -> dict[str, Any]:
    """All of a record but its cells."""
    verdicts: dict[str, dict[str, int]] = {}
    for (check, verdict), count in record.verdicts.items():
        verdicts.setdefault(check, {})[verdict] = count
    told: dict[str, Any] = {
        "shard": record.shard,
        "block": record.block,
        "at": round(record.at, 3),
        "programs": record.programs,
        "verdicts": verdicts,
    }
    for name in ("invalid", "unsupported", "mishaps", "unanswered", "restarts", "found"):
        if getattr(record, name):
            told[name] = getattr(record, name)
    if record.odd:
        told["odd"] = [[*oddity, index] for oddity, index in record.odd]
    if record.kept:
        told["kept"] = [[*oddity, folder] for oddity, folder in record.kept]
    if record.causes:
        told["causes"] = [
            {name: getattr(cause, name) for name in Cause.__slots__} for cause in record.causes
        ]
    return told


def _decoded(told: dict[str, Any]) -> BlockRecord:
    return BlockRecord(
        shard=told["shard"],
        block=told["block"],
        at=told["at"],
        programs=told["programs"],
        invalid=told.get("invalid", 0),
        unsupported=told.get("unsupported", 0),
        mishaps=told.get("mishaps", 0),
        verdicts=Counter(
            {
                (check, verdict): count
                for check, verdicts in told["verdicts"].items()
                for verdict, count in verdicts.items()
            }
        ),
        unanswered=Counter(told.get("unanswered", {})),
        restarts=Counter(told.get("restarts", {})),
        found=[(signature, index) for signature, index in told.get("found", ())],
        odd=[(Oddity(*named), index) for *named, index in told.get("odd", ())],
        causes=[
            Cause(**{**cause, "state": State(cause["state"])}) for cause in told.get("causes", ())
        ],
        kept=[(Oddity(*named), folder) for *named, folder in told.get("kept", ())],
    )
