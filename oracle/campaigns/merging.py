"""Shards put together: one run folder that says what the unsharded run would have said."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from oracle.campaigns.counts import BlockRecord, Cause, FindingCount, Oddity, OddityCount, Tally
from oracle.campaigns.findings import VERDICT, write_atomically
from oracle.campaigns.journal import read_journal
from oracle.campaigns.run_folder import JOURNAL, RunFolder, run_paths, settings_of, tally_of
from oracle.campaigns.run_settings import RunSettings
from oracle.campaigns.summary import summary

Key = TypeVar("Key")

_OWN = ("shard", "merged", "missing")
"""Settings in which shards of one run differ."""


class MergeError(Exception):
    """These folders are no shards of one run; the message says why."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One run that came to its end."""

    path: Path
    settings: RunSettings
    records: Sequence[BlockRecord]
    tally: Tally

    @property
    def out(self) -> Path:
        """The folder with its findings."""
        return self.path.parent.parent


@dataclass(frozen=True, slots=True)
class Merged:
    """What came of a merge."""

    path: Path
    settings: RunSettings
    tally: Tally
    facts: Mapping[str, object]


def shard_in(folder: Path) -> Shard:
    """The one run in a folder. Raises MergeError, JournalError, OSError."""
    paths = run_paths(folder)
    if len(paths) != 1:
        listed = "".join(f"\n  {path}" for path in paths)
        raise MergeError(
            f"{folder} holds {len(paths) or 'no'} runs; name one{listed and ':'}{listed}"
        )
    (path,) = paths
    settings = settings_of(path)
    if settings.merged:
        raise MergeError(f"{path} was put together from shards already: name these")
    contents = read_journal(path / JOURNAL)
    if not contents.complete:
        raise MergeError(f"{path} is unfinished: `crosscurrent fuzz --resume {path}` first")
    return Shard(path, settings, contents.records, tally_of(path, contents))


def check_alike(shards: Sequence[Shard], partial: bool) -> tuple[int, ...]:
    """That these are the shards of one run, each once. Returns the numbers of those that are
    missing, which only a `partial` merge may be. Raises MergeError, which names what differs."""
    first = shards[0]
    for other in shards[1:]:
        found = first.settings.differences(other.settings, _OWN)
        if first.settings.shard[1] != other.settings.shard[1]:
            found.append(f"shards: {first.settings.shard[1]} and {other.settings.shard[1]}")
        if found:
            listed = "".join(f"\n  {line}" for line in found)
            raise MergeError(f"{first.path} and {other.path} have different settings:{listed}")
    numbers: dict[int, Path] = {}
    for shard in shards:
        twin = numbers.setdefault(shard.settings.shard[0], shard.path)
        if twin != shard.path:
            raise MergeError(f"{twin} and {shard.path} are the same shard")
    count = first.settings.shard[1]
    missing = tuple(number for number in range(1, count + 1) if number not in numbers)
    if missing and not partial:
        said = ", ".join(f"{number}/{count}" for number in missing)
        raise MergeError(f"shard {said} is missing; --partial merges what is there")
    return missing


def merge(folders: Iterable[Path], out: Path, partial: bool = False) -> Merged:
    """Puts the runs in `folders` together as one run in `out`, which must not be there yet.

    `out` appears whole or not at all; the shards stay as they are. Raises MergeError, JournalError,
    OSError.
    """
    shards = sorted(map(shard_in, folders), key=lambda shard: shard.settings.shard)
    missing = check_alike(shards, partial)
    if out.exists():
        raise MergeError(f"{out} exists already: name a new folder")
    settings = replace(
        shards[0].settings,
        shard=(1, 1),
        merged=tuple(shard.path.name for shard in shards),
        missing=missing,
    )
    out.absolute().parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.absolute().parent))
    try:
        run = RunFolder.create(unfinished, settings)
        try:
            facts = {**settings.facts(), "run": run.name}
            tally = _fill(run, shards)
            told = summary(tally, facts, settings.checks, unfinished)
            text = json.dumps(told, indent=2).replace(str(unfinished), str(out))
            run.write_summary(text + "\n")
            run.journal.end()
        finally:
            run.close()
        unfinished.chmod(0o755)
        unfinished.rename(out)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return Merged(out / "runs" / run.name, settings, tally, facts)


def _fill(run: RunFolder, shards: Sequence[Shard]) -> Tally:
    """Writes all that the shards found and counted; what several found is the first one's."""
    causes: list[Cause] = []
    winners = _winners(shards, lambda tally: _first_seeds(tally.findings))
    for signature, shard in winners.items():
        cause = shard.tally.findings[signature].finding
        causes.append(_copy_finding(run, shard, cause))
    kept: list[tuple[Oddity, str]] = []
    for oddity, shard in _winners(shards, lambda tally: _first_seeds(tally.oddities)).items():
        folder = shard.tally.oddities[oddity].folder
        shutil.copytree(shard.out / folder, run.out / folder)
        kept.append((oddity, folder))
    for shard in shards:
        for candidate in shard.out.glob("candidates/[!.]*"):
            copy = run.out / "candidates" / candidate.name
            copy.parent.mkdir(exist_ok=True)
            if not copy.exists():
                shutil.copyfile(candidate, copy)
    tally = Tally()
    records = [record for shard in shards for record in shard.records]
    records.sort(key=lambda record: (record.at, record.shard, record.block))
    for number, record in enumerate(records):
        # Whoever counts must have been told of it: all that was found comes first.
        first = number == 0
        told = replace(record, causes=causes if first else [], kept=kept if first else [])
        run.journal.block(told)
        tally.take(told)
    return tally


def _winners(
    shards: Sequence[Shard], firsts: Callable[[Tally], Mapping[Key, int]]
) -> dict[Key, Shard]:
    """Which shard had the first program of each; `firsts` are a shard's own."""
    found: dict[Key, tuple[int, Shard]] = {}
    for shard in shards:
        for key, index in firsts(shard.tally).items():
            if key not in found or index < found[key][0]:
                found[key] = index, shard
    return {key: shard for key, (_, shard) in found.items()}


def _first_seeds(
    counted: Mapping[Key, FindingCount] | Mapping[Key, OddityCount],
) -> dict[Key, int]:
    return {key: one.first_seed for key, one in counted.items()}


def _copy_finding(run: RunFolder, shard: Shard, cause: Cause) -> Cause:
    """Copies a finding's folder, without the number that tells runs of a shared folder apart."""
    name = cause.folder.partition("~")[0]
    copy = run.out / "findings" / name
    shutil.copytree(
        shard.out / "findings" / cause.folder, copy, ignore=shutil.ignore_patterns(".*")
    )
    verdict = json.loads((copy / VERDICT).read_text(encoding="utf-8"))
    verdict.pop("shard", None)
    write_atomically(copy / VERDICT, json.dumps({**verdict, "run": run.name}, indent=2) + "\n")
    return replace(cause, folder=name)
