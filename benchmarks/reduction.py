"""How small, how fast and how true the reducer is: `python -m benchmarks.reduction FOLDER…`.

A FOLDER is a corpus, a run's folder, or holds programs. Each distinct fault that they show is
reduced on one core; what comes out is put to stock tools three times, in fresh processes.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks.processor import processor_seconds
from oracle.checks import CHECKS
from oracle.commands.options import compiler_option, open_compiler
from oracle.corpus import SHOWS_NOT, UNPARSED, CorpusError, load_entry
from oracle.examiner import Examiner, ExaminerError, ExaminerSettings
from oracle.files import pieces, subject_from_text
from oracle.reduction.reducer import NotShownError
from oracle.reduction.reducing import TRIES, Reduction, reduce_text
from oracle.verdict import Fault
from reference.releases import Release

CONFIRMATIONS = 3


@dataclass(frozen=True, slots=True)
class Case:
    """A program, and where it is known, which check to ask and which signature to look for."""

    file: Path
    text: str
    check: str | None = None
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """One reduction. `processor` is in seconds, of all processes; `shown` how often of three times
    stock tools show the reduced program's fault."""

    signature: str
    reduction: Reduction
    lines: int
    seconds: float
    processor: float
    kept: bool
    shown: int


def cases(folders: Iterable[Path], version: str) -> Iterator[Case]:
    """The programs below some folders; those of entries that the release does not show left out."""
    for folder in folders:
        for file in sorted(folder.rglob("*.mlir")):
            verdict = file.parent / "verdict.json"
            try:
                text = pieces(file)[0].text
                if verdict.exists():
                    told = json.loads(verdict.read_text(encoding="utf-8"))
                    yield Case(file, text, told["check"], told["signature"])
                    continue
                entry = load_entry(file)
                if entry.affects.get(version) not in (SHOWS_NOT, UNPARSED):
                    yield Case(file, text, entry.asked_by, entry.signature)
            except CorpusError:
                yield Case(file, text)
            except (OSError, ValueError):
                click.echo(f"cannot be read: {file}", err=True)


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@compiler_option
@click.option("--timeout", default=1.0, show_default=True, help="Seconds that make a hang.")
@click.option("--workers", default=1, show_default=True, help="Processes that try candidates.")
@click.option("--stock/--no-stock", default=True, help="Whether to put results to stock tools.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where results are kept.")
def main(
    folders: tuple[Path, ...],
    compiler: str,
    timeout: float,
    workers: int,
    stock: bool,
    output: Path | None,
) -> None:
    """Reduces each distinct fault of the programs in FOLDERS, and prints what came of it."""
    under_test = open_compiler(compiler)
    settings = ExaminerSettings.of(under_test.spec, timeout)
    measured: dict[str, Measured] = {}
    lost: list[Path] = []
    for case in cases(folders, under_test.version):
        try:
            fault, asked_by = shown(case, settings, under_test.release)
        except ExaminerError as error:
            click.echo(f"{case.file}: {error}", err=True)
            continue
        if fault is None:
            lost.append(case.file)
            continue
        if fault.signature in measured:
            continue
        one = measure(case, fault, asked_by, settings, under_test.release, workers, stock)
        if one is None:
            lost.append(case.file)
            continue
        measured[fault.signature] = one
        click.echo(
            f"{one.reduction.ops:3d} ops {one.lines:3d} lines {one.seconds:6.1f} s "
            f"{one.processor:6.1f} s processor {one.reduction.asked:5d} asked "
            f"{'kept' if one.kept else 'LOST'} {one.shown}/{CONFIRMATIONS} {one.signature}"
        )
        if output is not None:
            output.mkdir(parents=True, exist_ok=True)
            (output / f"{len(measured):03d}.mlir").write_text(
                f"// signature: {one.signature}\n// from: {case.file}\n{one.reduction.text}",
                encoding="utf-8",
            )
    click.echo(summary(list(measured.values()), len(lost)))


def shown(case: Case, settings: ExaminerSettings, release: Release) -> tuple[Fault | None, str]:
    """The fault that a program shows, and the check that ran into it: the one of the signature that
    is looked for, else one of the same check and stage (names of shapes change)."""
    tries = TRIES if (case.signature or "").startswith("determinism/") else 1
    for name in dict.fromkeys([case.check, *CHECKS] if case.check in CHECKS else CHECKS):
        assert name is not None
        with Examiner(settings, [CHECKS[name]]) as examiner:
            read = subject_from_text(examiner, case.text, release, release)
            if read is None or read.subject is None:
                return None, name
            for _ in range(tries):
                (examination,) = examiner.examine([read.subject])
                fault = _wanted(examination.faults, case.signature)
                if fault is not None:
                    return fault, name
    return None, ""


def _wanted(faults: Sequence[Fault], signature: str | None) -> Fault | None:
    if signature is None:
        return next(iter(faults), None)
    near = "/".join(signature.split("/")[:2]) + "/"
    same = [fault for fault in faults if fault.signature == signature]
    return next(iter([*same, *(one for one in faults if one.signature.startswith(near))]), None)


def measure(
    case: Case,
    fault: Fault,
    asked_by: str,
    settings: ExaminerSettings,
    release: Release,
    workers: int,
    stock: bool,
) -> Measured | None:
    """Reduces one program; None where its fault does not show again."""
    started, used = time.monotonic(), processor_seconds()
    try:
        reduction = reduce_text(
            case.text, fault.signature, [asked_by], settings, release, release, workers
        )
    except NotShownError:
        return None
    seconds, used = time.monotonic() - started, processor_seconds() - used
    lines = sum(
        1 for line in reduction.text.splitlines() if line.strip() and not line.startswith("//")
    )
    kept, times = False, 0
    for _ in range(CONFIRMATIONS if stock else 1):
        with Examiner(settings, [CHECKS[asked_by]]) as examiner:
            read = subject_from_text(examiner, reduction.text, release, release)
            if read is None or read.subject is None:
                break
            (examination,) = examiner.examine([read.subject])
            same = [one for one in examination.faults if one.signature == fault.signature]
            kept = kept or bool(same)
            if same and stock:
                times += examiner.confirm(read.subject, same[0]).confirmed
    return Measured(fault.signature, reduction, lines, seconds, used, kept, times)


def summary(measured: list[Measured], lost: int) -> str:
    """What the whole comes to."""
    if not measured:
        return f"nothing to reduce; {lost} programs show no fault"
    ops = sorted(one.reduction.ops for one in measured)
    lines = sorted(one.lines for one in measured)
    count = len(measured)
    return "\n".join(
        (
            f"{count} distinct faults reduced, {lost} programs show none",
            f"ops: median {statistics.median(ops):g}, 95 % {share(ops)}, most {ops[-1]}",
            f"lines: median {statistics.median(lines):g}, 95 % {share(lines)}, most {lines[-1]}",
            f"seconds: median {statistics.median(one.seconds for one in measured):.1f}, "
            f"most {max(one.seconds for one in measured):.1f}; processor: median "
            f"{statistics.median(one.processor for one in measured):.1f}, "
            f"most {max(one.processor for one in measured):.1f}",
            f"signature kept: {sum(one.kept for one in measured)} of {count}",
            f"shows again {CONFIRMATIONS} of {CONFIRMATIONS} times with stock tools: "
            f"{sum(one.shown == CONFIRMATIONS for one in measured)} of {count}",
        )
    )


def share(ordered: list[int]) -> int:
    """The least number that 95 % do not pass."""
    return ordered[min(len(ordered) - 1, -(-len(ordered) * 95 // 100) - 1)]


if __name__ == "__main__":
    main()
