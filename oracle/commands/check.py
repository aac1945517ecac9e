"""`crosscurrent check FILE`: which promise a compiler breaks on a given module."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import click

from oracle.campaigns.findings import write_atomically
from oracle.checks import AGREEMENTS, CHECKS
from oracle.checks.base import Confirmation, Subject
from oracle.commands.options import (
    InputError,
    MachineError,
    answerable,
    checks_option,
    choose_rules,
    compiler_option,
    open_compiler,
    rules_option,
)
from oracle.corpus import CorpusError, Entry, default_corpus, explained_by, load_known
from oracle.examination import Examination
from oracle.examiner import Examiner, ExaminerError, ExaminerSettings
from oracle.explain.explanation import Explanation, Found, explain
from oracle.explain.picture import Panel, picture
from oracle.explain.words import told
from oracle.files import Piece, ReadPiece, UnreadableError, pieces, subjects_from
from oracle.mishaps import attempted
from oracle.verdict import Fault, Judgement, Mishap, State, Verdict
from oracle.wording import counted
from reference.releases import Release

_WORST_FIRST = (
    Verdict.CRASH,
    Verdict.HANG,
    Verdict.REJECTED,
    Verdict.WRONG_VALUE,
    Verdict.BROKEN_CONTRACT,
    Verdict.DISAGREE,
    Verdict.INVALID,
    Verdict.UNSUPPORTED,
    Verdict.AGREE,
)


_OF_ANY_TEXT = frozenset({"affinity", "placement", "schedule"})
"""Agreements about passes that say something of any program: what `allocation` is about is there
in scheduled programs only, which it takes as they are."""


@dataclass(frozen=True, slots=True)
class _FunctionReport:
    """What is said of functions that belong together, of the module that starts at `line`."""

    names: tuple[str, ...]
    line: int
    verdict: Verdict
    answered: tuple[Verdict, ...] = ()
    """What agreements said where both the model and the compiler gave an answer."""

    @property
    def claimed(self) -> bool:
        """Whether the model gave any answer that could be compared."""
        return bool(self.answered)

    @property
    def agrees(self) -> bool:
        """Whether all that could be compared is as the model says."""
        return self.claimed and set(self.answered) == {Verdict.AGREE}


@dataclass(slots=True)
class _FileReport:
    """What is said of one file. `findings` are faults, each with the line of its module."""

    file: Path
    verdicts: set[Verdict] = field(default_factory=set)
    functions: list[_FunctionReport] = field(default_factory=list)
    findings: list[tuple[Found, int]] = field(default_factory=list)
    unsupported: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    explanations: list[Explanation] = field(default_factory=list)

    @property
    def verdict(self) -> Verdict:
        """The worst of its modules' verdicts."""
        return _worst(self.verdicts)


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@checks_option
@compiler_option
@rules_option
@click.option(
    "--explain",
    "explaining",
    is_flag=True,
    help="Why everything is where it is, and each finding's expected beside its actual, in full.",
)
@click.option(
    "-o",
    "--timeline",
    metavar="FILE.svg",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to draw what runs where, when, and what waits for what.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, one a file.")
def check(
    files: tuple[Path, ...],
    checks: tuple[str, ...],
    compiler: str,
    rules: str | None,
    explaining: bool,
    timeline: Path | None,
    as_json: bool,
) -> None:
    """Checks each FILE, any .mlir with the Stream dialect; modules may be split by `// -----`."""
    if timeline is not None and not timeline.absolute().parent.is_dir():
        raise InputError(f"--timeline: there is no folder {timeline.absolute().parent}")
    under_test = open_compiler(compiler)
    try:
        known = explained_by(load_known(default_corpus(), under_test.version))
    except CorpusError as error:
        raise InputError(str(error)) from None
    checks = answerable(under_test, checks)
    chosen = choose_rules(under_test, rules)
    settings = ExaminerSettings.of(under_test.spec)
    reports = []
    failed: list[str] = []
    with Examiner(settings, [CHECKS[name] for name in checks]) as examiner:
        for file in _expanded(files):
            try:
                report = attempted(
                    partial(
                        _checked,
                        examiner,
                        file,
                        (chosen, under_test.release),
                        known,
                        explaining or bool(timeline),
                    )
                )
            except ExaminerError as error:
                report = Mishap(str(error))
            if isinstance(report, Mishap):
                failed.append(f"{file}: {report.trace}")
                continue
            reports.append(report)
            click.echo(_as_json(report, explaining) if as_json else _told(report, explaining))
    if not as_json and len(reports) + sum(len(one.functions) for one in reports) > 2:
        click.echo(_summary(reports, by_model=not AGREEMENTS.isdisjoint(checks)))
    if timeline is not None:
        _draw(timeline, reports)
    if failed:
        raise MachineError("\n".join(failed))
    click.get_current_context().exit(_exit_code(reports))


def _expanded(files: Iterable[Path]) -> Iterator[Path]:
    """Folders as the `.mlir` files below them."""
    for file in files:
        if file.is_dir():
            below = sorted(file.rglob("*.mlir"))
            if not below:
                raise InputError(f"there is no .mlir file below {file}")
            yield from below
        else:
            yield file


def _checked(
    examiner: Examiner,
    file: Path,
    releases: tuple[Release, Release],
    known: dict[str, Entry],
    explaining: bool,
) -> _FileReport:
    report = _FileReport(file)
    try:
        found = pieces(file)
    except UnreadableError as error:
        report.verdicts.add(Verdict.INVALID)
        report.notes.append(str(error))
        return report
    for piece in found:
        _check_piece(examiner, piece, report, releases, known, explaining)
    return report


def _check_piece(
    examiner: Examiner,
    piece: Piece,
    report: _FileReport,
    releases: tuple[Release, Release],
    known: dict[str, Entry],
    explaining: bool,
) -> None:
    for read in subjects_from(examiner, piece, *releases):
        said = _check_functions(examiner, piece, read, report, known, explaining)
        report.verdicts.add(said.verdict)
        if read.unsupported:
            report.verdicts.add(Verdict.UNSUPPORTED)
        if read.functions:
            report.functions.append(said)


def _check_functions(
    examiner: Examiner,
    piece: Piece,
    read: ReadPiece,
    report: _FileReport,
    known: dict[str, Entry],
    explaining: bool,
) -> _FunctionReport:
    """What is said of functions that belong together; findings go into `report`."""
    _add(report.notes, read.notes)
    _add(report.unsupported, read.unsupported)
    if read.subject is None:
        verdict = Verdict.UNSUPPORTED if read.foreign else Verdict.INVALID
        return _FunctionReport(read.functions, piece.line, verdict)
    (examination,) = examiner.examine([read.subject])
    if examination.invalid is not None:
        _add(report.notes, [examination.invalid])
        return _FunctionReport(read.functions, piece.line, Verdict.INVALID)
    _add(report.unsupported, examination.unsupported)
    judgements, faults = _with_alone(examiner, examination)
    agreements = [one for one in judgements if one.check in AGREEMENTS]
    answered = tuple(
        one.verdict for one in agreements if not one.unsupported and (one.foreseen or _is_own(one))
    )
    if read.level is None and read.subject.program is not None:
        # No compiler owes a program that is not valid anything; the model still has its say.
        report.verdicts.add(Verdict.INVALID)
        judgements = tuple(one for one in agreements if _is_own(one))
        faults = tuple(one for one in faults if one.check in AGREEMENTS)
    found = [_found(examiner, read.subject, fault, known, explaining) for fault in faults]
    report.findings += [(one, piece.line) for one in found]
    if explaining:
        report.explanations.append(explain(examiner, read.subject, read.functions, found))
    verdict = _worst({judgement.verdict for judgement in judgements})
    return _FunctionReport(read.functions, piece.line, verdict, answered)


def _found(
    examiner: Examiner, subject: Subject, fault: Fault, known: dict[str, Entry], explaining: bool
) -> Found:
    """A fault with its state. What the corpus knows needs no word of the stock tools, unless it is
    to be explained."""
    entry = known.get(fault.signature)
    confirmation = Confirmation(False, (), "not asked")
    if entry is None or explaining:
        confirmation = examiner.confirm(subject, fault)
    if entry is not None:
        return Found(fault, State.KNOWN, entry.identity, confirmation)
    return Found(fault, State.NEW if confirmation.confirmed else State.MODEL, None, confirmation)


def _with_alone(
    examiner: Examiner, examination: Examination
) -> tuple[tuple[Judgement, ...], tuple[Fault, ...]]:
    """The judgements and faults of an examination. An agreement about passes that the compiler did
    not come to, since it refuses the program before, is asked about the program as it is, too; not
    so where that is on tensors, of which these passes make nothing."""
    judgements, faults = examination.judgements, examination.faults
    open_ones = {one.check for one in judgements if not _is_own(one)} & _OF_ANY_TEXT
    program = examination.subject.program
    if not open_ones or (program is not None and program.tensors):
        return judgements, faults
    subject = replace(examination.subject, alone=True, resolved=False)
    (again,) = examiner.examine([subject])
    alone = tuple(one for one in again.judgements if one.check in open_ones and _is_own(one))
    return (*judgements, *alone), (*faults, *(fault for one in alone for fault in one.faults))


def _is_own(judgement: Judgement) -> bool:
    """Whether the check came to its own answer: not so where the compiler stopped before."""
    return not judgement.faults or judgement.faults[0].check == judgement.check


def _add(items: list[str], more: Iterable[str]) -> None:
    items += [one for one in dict.fromkeys(more) if one not in items]


def _worst(verdicts: Collection[Verdict]) -> Verdict:
    """The worst of some verdicts; what has none agrees with nothing."""
    return next((one for one in _WORST_FIRST if one in verdicts), Verdict.INVALID)


def _summary(reports: Sequence[_FileReport], by_model: bool) -> str:
    """How many programs there were; where the model was asked, for how many it has an answer, and
    how often that is the compiler's."""
    functions = [one for report in reports for one in report.functions]
    claimed = [one for one in functions if one.claimed]
    agreed = sum(one.agrees for one in claimed)
    parts = [f"{counted(len(functions), 'program')} in {counted(len(reports), 'file')}"]
    if functions and by_model:
        parts.append(f"{len(claimed)} known to the model ({len(claimed) / len(functions):.1%})")
    if claimed and by_model:
        parts.append(f"{agreed} of these agree ({agreed / len(claimed):.1%})")
    return ", ".join(parts)


def _exit_code(reports: list[_FileReport]) -> int:
    if any(found.state is not State.KNOWN for report in reports for found, _ in report.findings):
        return 1
    return 2 if any(Verdict.INVALID in report.verdicts for report in reports) else 0


def _as_json(report: _FileReport, explaining: bool) -> str:
    return json.dumps(
        {
            "file": str(report.file),
            "verdict": report.verdict.value,
            "findings": [_finding(found, line, explaining) for found, line in report.findings],
            "unsupported": report.unsupported,
            "functions": [
                {
                    "names": function.names,
                    "line": function.line,
                    "verdict": function.verdict.value,
                    "claimed": function.claimed,
                    "agrees": function.agrees,
                }
                for function in report.functions
            ],
            "notes": report.notes,
        }
    )


def _finding(found: Found, line: int, explaining: bool) -> dict[str, object]:
    fault = found.fault
    said: dict[str, object] = {
        "signature": fault.signature,
        "check": fault.check,
        "verdict": fault.verdict.value,
        "stage": fault.stage,
        "state": found.state.value,
        "known": found.known,
        "line": line,
        "message": fault.message,
    }
    if explaining:
        said |= {
            "expected": fault.expected,
            "actual": fault.actual,
            "confirmed_by_stock_tools": found.confirmation.confirmed,
            "commands": found.confirmation.commands,
        }
    return said


def _told(report: _FileReport, explaining: bool) -> str:
    lines = [f"{report.file}: {report.verdict.value}"]
    lines += [f"  {note}" for note in report.notes]
    lines += [f"  not known to the model: {item}" for item in report.unsupported]
    for found, line in report.findings:
        known = f" ({found.known})" if found.known else ""
        lines.append(
            f"  {found.state.value}{known}: {found.fault.signature}, module at line {line}"
        )
        lines += [f"    {part}" for part in found.fault.message.splitlines()]
    if explaining:
        width = shutil.get_terminal_size().columns
        for explanation in report.explanations:
            lines += ["", *(f"  {part}".rstrip() for part in told(explanation, width - 2))]
    return "\n".join(lines)


def _draw(file: Path, reports: Sequence[_FileReport]) -> None:
    """Writes one picture of all that was looked at."""
    several = len(reports) > 1
    panels: list[Panel] = []
    at_fault: set[str] = set()
    for report in reports:
        for explanation in report.explanations:
            at_fault |= explanation.at_fault
            for panel in explanation.panels():
                place = f"{report.file}: " if several else ""
                panels.append(Panel(f"{place}{panel.title}", panel.timeline))
    try:
        write_atomically(file, picture(panels, at_fault) + "\n")
    except OSError as error:
        raise MachineError(f"cannot write {file}: {error.strerror}") from None
    if not panels:
        click.echo(f"{file}: nothing is submitted to a device, the picture is empty", err=True)
