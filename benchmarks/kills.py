"""Kills a run at random moments, takes it up again each time, and asks whether anything was lost.

    python -m benchmarks.kills --kills 50

The whole process group of `crosscurrent fuzz` gets a SIGKILL, then `--resume` goes on. After each
kill every file must be whole; in the end the counts and the findings must be those of a run that
nobody disturbed. Exit code 0 when they are, else 1.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from oracle.campaigns.journal import JournalError, read_journal
from oracle.campaigns.run_folder import JOURNAL, run_paths, settings_of, tally_of

TOOL = Path(sys.executable).parent / "crosscurrent"
FILES = frozenset(
    {"program.mlir", "verdict.json", "expected.txt", "actual.txt", "reproduce.sh", "stock.txt"}
)
CHANCE = ("seconds", "programs_per_second", "seconds_to_first_verdict", "restarts", "curve", "run")
"""What may differ between two runs of one seed."""
OF_REDUCTION = ("reduced", "reduction")

_ENDED = (0, 1)
_EARLY = 0.2
"""The share of kills that may hit a process while it starts."""
_BLOCKS = 4
"""Fewer blocks than that are waited for."""
_LOOK_SECONDS = 0.02


@dataclass(slots=True)
class Round:
    """One run that was killed `kills` times, `lost` of them before it had begun, and what was
    wrong with it."""

    seed: int
    kills: int = 0
    lost: int = 0
    programs: int = 0
    findings: int = 0
    problems: list[str] = field(default_factory=list)


def kill_and_resume(
    arguments: Sequence[str], seed: int, kills: int, longest: float, folder: Path
) -> Round:
    """One round: a run undisturbed, the same run killed up to `kills` times, both compared.

    A kill comes at a random moment up to `longest` seconds after the start of the process or after
    the end of one of its first blocks: so a slow machine comes on too. A run that ends before its
    kill is over.
    """
    chance = random.Random(seed)
    done = Round(seed)
    fuzz = [str(TOOL), "fuzz", "--seed", str(seed), *arguments]
    resume = [str(TOOL), "fuzz", *_not_remembered(arguments), "--resume"]
    calm, disturbed = folder / f"calm-{seed}", folder / f"killed-{seed}"
    _wait(subprocess.Popen([*fuzz, "--out", calm], **_quiet()), None)
    ended = False
    while done.kills < kills and not ended:
        begun = run_paths(disturbed)
        again = [*resume, str(disturbed)]
        process = subprocess.Popen(again if begun else [*fuzz, "--out", disturbed], **_quiet())
        blocks = chance.randrange(_BLOCKS) if chance.random() > _EARLY else None
        ended = _kill_later(process, disturbed, blocks, chance.uniform(0.0, longest))
        if not ended:
            done.kills += 1
            done.lost += not run_paths(disturbed)
            done.problems += half_written(disturbed)
    if not ended:
        again = [*resume, str(disturbed)]
        command = again if run_paths(disturbed) else [*fuzz, "--out", str(disturbed)]
        _wait(subprocess.Popen(command, **_quiet()), None)
    done.problems += half_written(disturbed)
    ours, theirs = told(calm), told(disturbed)
    done.problems += differences(ours, theirs)
    done.programs, done.findings = theirs["programs"], len(theirs["findings"])
    return done


def _not_remembered(arguments: Sequence[str]) -> Iterator[str]:
    """The options that a resumed run has to be told again: they change nothing in what is found."""
    words = iter(arguments)
    for word in words:
        if word == "--no-reduce":
            yield word
        elif word in ("--reduce-time", "--workers", "--scheduler"):
            yield from (word, next(words))


def half_written(out: Path) -> Iterator[str]:
    """What is wrong with the files of a run folder, whatever moment it was killed at."""
    for folder in out.glob("findings/[!.]*"):
        missing = FILES - {path.name for path in folder.iterdir()}
        if missing:
            yield f"{folder} has no {', '.join(sorted(missing))}"
    for file in (*out.glob("*/*/[!.]*.json"), *out.glob("runs/*/[!.]*.json")):
        try:
            json.loads(file.read_text("utf-8"))
        except ValueError as error:
            yield f"{file}: {error}"
    for run in run_paths(out):
        try:
            settings_of(run)
            if (run / JOURNAL).exists():
                tally_of(run, read_journal(run / JOURNAL))
        except JournalError as error:
            yield str(error)


def told(out: Path) -> Any:
    """The summary of the one run in a folder, the texts of its findings, and the names of all its
    files, chance left out."""
    (run,) = run_paths(out)
    summary = json.loads((run / "summary.json").read_text("utf-8"))
    for key in CHANCE:
        del summary[key]
    for kind in ("findings", "unsupported_constructs", "invalid_programs"):
        for one in summary[kind]:
            # By its place in the folder, which may have been moved.
            place = Path(*Path(one["program"]).parts[-3:])
            one["program"] = (out / place).read_text("utf-8")
            for key in OF_REDUCTION:
                one.pop(key, None)
    summary["files"] = sorted(
        str(path.relative_to(out))
        for path in out.rglob("*")
        if path.is_file() and path.relative_to(out).parts[0] not in ("runs", "in-flight")
    )
    return summary


def differences(ours: Any, theirs: Any, where: str = "") -> Iterator[str]:
    """Where two JSON values differ, one line a place."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted({*ours, *theirs}):
            yield from differences(ours.get(key), theirs.get(key), f"{where}/{key}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            yield from differences(one, other, f"{where}/{number}")
    elif ours != theirs:
        yield f"{where}: {str(ours)[:200]} undisturbed, {str(theirs)[:200]} when killed"


def _quiet() -> dict[str, Any]:
    """A process group of its own, which can be killed whole."""
    nowhere = subprocess.DEVNULL
    said = {"stdout": nowhere, "stderr": subprocess.PIPE, "stdin": nowhere}
    return {"start_new_session": True, **said}


def _wait(process: subprocess.Popen[bytes], seconds: float | None) -> bool:
    """Whether a run came to its end in time; it is killed where it did not."""
    try:
        _, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return False
    if process.returncode not in _ENDED:
        said = errors.decode(errors="replace")
        raise click.ClickException(f"exit code {process.returncode} of {process.args!r}:\n{said}")
    return True


def _kill_later(
    process: subprocess.Popen[bytes], out: Path, blocks: int | None, seconds: float
) -> bool:
    """Kills a run so long after it finished as many blocks (None: after it was started). Returns
    whether it came to its end before."""
    if blocks is not None:
        before = _lines(out)
        while process.poll() is None and _lines(out) < before + blocks:
            time.sleep(_LOOK_SECONDS)
    return _wait(process, seconds)


def _lines(out: Path) -> int:
    """How many lines the journal in a folder has."""
    return sum(path.read_bytes().count(b"\n") for path in out.glob(f"runs/*/{JOURNAL}"))


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--kills", default=50, show_default=True, type=click.IntRange(1))
@click.option("--seed", default=1, show_default=True, help="Of the first run, and of the moments.")
@click.option("--longest", default=2.0, show_default=True, help="Seconds to a kill, at most.")
@click.option("--keep", type=click.Path(path_type=Path), help="Keep the run folders here.")
@click.argument("fuzz_options", nargs=-1, type=click.UNPROCESSED)
def main(
    kills: int, seed: int, longest: float, keep: Path | None, fuzz_options: tuple[str, ...]
) -> None:
    """Kills runs of `crosscurrent fuzz FUZZ_OPTIONS` (after `--`) and says what came of it."""
    arguments = fuzz_options or (
        "--profile", "placement", "--checks", "placement,accept", "--rules", "3.11",
        "--examples", "400", "--workers", "2", "--no-reduce",
    )  # fmt: skip
    folder = keep or Path(tempfile.mkdtemp(prefix="crosscurrent-kills-"))
    folder.mkdir(parents=True, exist_ok=True)
    rounds: list[Round] = []
    while sum(one.kills for one in rounds) < kills:
        left = kills - sum(one.kills for one in rounds)
        done = kill_and_resume(arguments, seed + len(rounds), left, longest, folder)
        rounds.append(done)
        click.echo(
            f"seed {done.seed}: {done.programs} programs, {done.findings} findings, killed "
            f"{done.kills} times ({done.lost} before the run had a folder): "
            f"{len(done.problems)} differences"
        )
        for problem in done.problems:
            click.echo(f"  {problem}")
    if keep is None:
        shutil.rmtree(folder, ignore_errors=True)
    problems = sum(len(one.problems) for one in rounds)
    click.echo(
        f"{sum(one.kills for one in rounds)} kills in {len(rounds)} runs: "
        f"{problems or 'no'} differences from undisturbed runs"
    )
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
