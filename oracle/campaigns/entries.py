"""A reduced finding as a corpus entry: a lit test with a header that says what it is."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from oracle.campaigns.candidates import Candidate
from oracle.checks.roundtrip import DOES_NOT_PARSE, ONCE, Roundtrip
from oracle.corpus import SHOWN
from oracle.signature import file_name
from oracle.verdict import Fault, Verdict

_LONGEST_NAME = 60

_REFUSED = frozenset({Verdict.REJECTED, Verdict.CRASH})

_MADE = re.compile(r"\bprogram\.(vmfb|ireereplay)\b")
"""What commands leave behind, which lit has a place for."""

_ERROR = re.compile(r"error: (?:loc\(.*?\): )?(?P<message>.*)")
_VALUE_OR_ATTRIBUTE = re.compile(r"%\w+ = |%\d+|#hal|\('")


def entry_path(folder: Path, candidate: Candidate) -> Path:
    """Where a candidate goes in a folder: one place for one signature."""
    return folder / f"{identity(candidate)}.mlir"


def entry_text(candidate: Candidate, title: str) -> str:
    """The candidate as a corpus file, `// RUN:` lines first."""
    fault = candidate.fault
    effects = ", ".join(f"{version} {effect}" for version, effect in candidate.effects.items())
    header = {
        "id": identity(candidate),
        "title": title,
        "signature": candidate.signature,
        "check": fault.check,
        **({} if candidate.asked_by == fault.check else {"asked-by": candidate.asked_by}),
        "verdict": fault.verdict.value,
        "guilty-pass": fault.stage,
        "affects": effects,
        **({} if candidate.rules is None else {"rules": candidate.rules}),
        "expected": _line(fault.expected),
        "actual": _line(fault.actual),
        "issue": "unreported",
    }
    lines = [*_run_lines(candidate), *_required(candidate)]
    lines += (f"// {key}: {value}" for key, value in header.items())
    return "\n".join([*lines, *_check_lines(candidate), "", candidate.text])


def default_title(fault: Fault) -> str:
    """A title that a person should better: the pass, and the shape of the fault."""
    return f"{fault.stage}: {' '.join(fault.shape)}".replace("-", " ").replace("/", " ")


def identity(candidate: Candidate) -> str:
    """The name of an entry, and of its file: words that a person should better, and a mark that
    tells it from the entries of other signatures."""
    title = re.sub(r"[^a-z0-9]+", "-", default_title(candidate.fault).lower())
    words = file_name(title.strip("-"))[: _LONGEST_NAME - 7].strip("-")
    return f"{words}-{hashlib.sha256(candidate.signature.encode()).hexdigest()[:6]}"


def _run_lines(candidate: Candidate) -> Iterator[str]:
    if candidate.fault.check == Roundtrip.name:
        first = candidate.confirmation.commands[0].replace("program.mlir", "%s")
        yield f"// RUN: {first.replace(ONCE, '%t')}"
        parses = candidate.fault.shape[0] != DOES_NOT_PARSE
        yield "// RUN: " + ("iree-opt %t | not diff %t -" if parses else "not iree-opt %t")
        return
    refused = candidate.fault.check == "accept" or candidate.fault.verdict in _REFUSED
    for number, command in enumerate(candidate.confirmation.commands):
        fails = command.startswith("iree-run-module") and candidate.fault.shape[0] == "error"
        failing = "not " if refused or fails else ""
        words = _MADE.sub(r"%t.\1", command.replace("program.mlir", "%s"))
        both = " 2>&1" if failing else ""
        verified = "" if number or not list(_check_lines(candidate)) else " | filecheck %s"
        yield f"// RUN: {failing}{words}{both}{verified}"


def _required(candidate: Candidate) -> Iterator[str]:
    """The releases on which lit is to run the entry, where they are not all."""
    shows = [version for version, effect in candidate.effects.items() if effect in SHOWN]
    if len(shows) < len(candidate.effects):
        releases = " || ".join(f"iree-{version.rpartition('.')[0]}" for version in shows)
        yield f"// REQUIRES: {releases}"


def _check_lines(candidate: Candidate) -> Iterator[str]:
    """What stock tools say, for a program that they refuse."""
    if candidate.fault.check != "accept" or candidate.fault.shape[0] == "hang":
        return
    if candidate.fault.shape[0] == "crash":
        yield "// CHECK: Stack dump"
        return
    found = (_ERROR.search(line) for line in candidate.confirmation.output.splitlines())
    message = next((error["message"] for error in found if error), "")
    if message:
        yield f"// CHECK: error: {{{{.*}}}}{_VALUE_OR_ATTRIBUTE.split(message)[0].strip()}"


def _line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0][:160]
