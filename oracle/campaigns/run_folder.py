"""The folder of a run, `OUT/runs/NAME/`: the truth about it, whatever happens to its processes.

It holds `settings.json` (what was asked), `journal.jsonl` (each finished block) and, when the run
ended, `summary.json`. Findings lie beside, in `OUT/findings/`, where several runs may share them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from oracle.campaigns.counts import Tally
from oracle.campaigns.findings import write_atomically
from oracle.campaigns.journal import (
    Journal,
    JournalContents,
    JournalError,
    is_under_way,
    read_journal,
)
from oracle.campaigns.run_settings import RunSettings, RunSettingsError

SETTINGS, JOURNAL, SUMMARY = "settings.json", "journal.jsonl", "summary.json"


class NoRunError(Exception):
    """There is no run to go on with, or more than one; the message says what there is."""


class RunFolder:
    """A run that this process works at; nobody else may meanwhile. Close it when done."""

    def __init__(self, path: Path, settings: RunSettings) -> None:
        self.path = path
        self.settings = settings
        self.journal = Journal(path / JOURNAL)

    @property
    def name(self) -> str:
        """The run's name, unique in its OUT."""
        return self.path.name

    @property
    def out(self) -> Path:
        """The folder that the run shares with others."""
        return self.path.parent.parent

    @classmethod
    def create(cls, out: Path, settings: RunSettings) -> RunFolder:
        """A new run. Raises OSError, which names what cannot be written."""
        runs = out / "runs"
        runs.mkdir(parents=True, exist_ok=True)
        stem = f"{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}"
        for number in range(1, 1000):
            path = runs / (stem if number == 1 else f"{stem}.{number}")
            # On a disk that machines share, two may have one process number.
            with suppress(FileExistsError):
                path.mkdir()
                write_atomically(path / SETTINGS, settings.text())
                return cls(path, settings)
        raise FileExistsError(f"{runs / stem} and others are taken")

    @classmethod
    def reopen(cls, path: Path) -> RunFolder:
        """A run to go on with. Raises JournalError, JournalBusyError, OSError."""
        return cls(path, settings_of(path))

    def earlier(self) -> Tally:
        """What earlier sessions counted. Raises JournalError where blocks are missing."""
        return tally_of(self.path, self.journal.earlier)

    def write_summary(self, text: str) -> None:
        """Replaces the run's summary."""
        write_atomically(self.path / SUMMARY, text, self.name)

    def close(self) -> None:
        """Lets others work at it."""
        self.journal.close()


def settings_of(run: Path) -> RunSettings:
    """What a run was asked to do. Raises JournalError, OSError."""
    path = run / SETTINGS
    try:
        return RunSettings.from_text(path.read_text(encoding="utf-8"))
    except (RunSettingsError, UnicodeDecodeError) as error:
        raise JournalError(f"{path}: {error}. Nothing was changed") from None


def tally_of(run: Path, contents: JournalContents) -> Tally:
    """A journal's blocks counted together. Raises JournalError where one is missing or twice."""
    tally = Tally()
    following: dict[int, int] = {}
    for record in contents.records:
        expected = following.get(record.shard, 0)
        if record.block != expected:
            raise JournalError(
                f"{run / JOURNAL} goes on with block {record.block} where block {expected} of "
                f"shard {record.shard} is due: it is damaged. Nothing was changed"
            )
        following[record.shard] = expected + 1
        try:
            tally.take(record)
        except KeyError as error:
            raise JournalError(
                f"{run / JOURNAL} counts {error} before it was found: it is damaged. "
                "Nothing was changed"
            ) from None
    return tally


def run_paths(folder: Path) -> list[Path]:
    """The runs that `folder` names: itself, if it is one, or those that it holds."""
    if (folder / SETTINGS).is_file():
        return [folder]
    return sorted(path.parent for path in folder.glob(f"runs/*/{SETTINGS}"))


def unfinished(folder: Path) -> Path:
    """The run that `--resume FOLDER` goes on with: the one that is neither at its end nor under
    way; where all are at their end and there is but one, that one.

    Raises NoRunError, JournalError, OSError.
    """
    paths = run_paths(folder)
    if not paths:
        raise NoRunError(f"{folder} holds no run: there is no runs/…/{SETTINGS} in it")
    if len(paths) == 1:
        return paths[0]
    waiting = list(_waiting(paths))
    if len(waiting) == 1:
        return waiting[0]
    listed = "".join(f"\n  {path}" for path in waiting or paths)
    said = f"{len(waiting)} unfinished runs" if waiting else f"{len(paths)} runs, none unfinished"
    raise NoRunError(f"{folder} holds {said}; name one:{listed}")


def _waiting(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        try:
            complete = read_journal(path / JOURNAL).complete
        except FileNotFoundError:
            complete = False  # Killed before its first line.
        if not complete and not is_under_way(path / JOURNAL):
            yield path
