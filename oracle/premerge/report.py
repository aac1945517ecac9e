"""What a pre-merge run found, as one JSON object that all other forms are made from."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from oracle.campaigns.findings import write_atomically
from oracle.corpus import Entry
from oracle.premerge.expectations import Expectations
from oracle.premerge.finish import Finished, Shown
from oracle.premerge.run import Counted, Results
from oracle.premerge.sorting import Kind
from oracle.premerge.timing import Slower
from oracle.signature import file_name

Report: TypeAlias = "dict[str, Any]"
"""See `report`: plain data, in a stable order."""

_LONGEST_OUTPUT = 20_000
"""Characters of a tool's output that the object holds; the folder holds all."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a run was asked: facts for the report, where its files go, and what is known already."""

    facts: dict[str, object]
    folder: Path
    known: dict[str, Entry]
    expectations: Expectations


def report(results: Results, context: Context) -> Report:
    """The object that `premerge --json` writes.

    `differences` are those of the kinds regressed, fixed and changed, in this order, those of most
    programs first; each has both sides' words, the stock tools' commands and what they printed, and
    the program's text. `exit_code` is 1 where something regressed that was not expected.
    """
    kinds = (Kind.REGRESSED, Kind.FIXED, Kind.CHANGED)
    differences = [_difference(one, context) for kind in kinds for one in results.of(kind)]
    both = [
        {
            "signature": one.met.difference.signature,
            "count": one.count,
            "known": _known(one, context),
        }
        for one in results.of(Kind.BOTH_WRONG)
    ]
    unsteady = [
        {
            "kind": one.met.difference.kind.value,
            "signature": one.met.difference.signature,
            "count": one.count,
            "program": one.met.offered.name,
            "note": one.finished.note if one.finished else "there was no time to look again",
        }
        for one in results.unsteady
    ]
    signatures = [one["signature"] for one in differences]
    slower = [_slower(one, context) for one in results.slower]
    signatures += [one["signature"] for one in slower]
    bad = [
        one
        for one in differences
        if one["kind"] == Kind.REGRESSED.value and one["expected"] is None
    ]
    return {
        **context.facts,
        "seconds": round(results.seconds, 1),
        "programs": {
            "corpus": results.corpus,
            "corpus_left": results.corpus_left,
            "fresh": results.fresh,
            "compared": results.compared,
            "screened": results.screened,
            "same_ir": results.same,
            "invalid": len(results.invalid),
            "mishaps": len(results.mishaps),
            "unparsed": dict(sorted(results.unparsed.items())),
            "not_compared": dict(sorted(results.not_compared.items())),
        },
        "restarts": dict(sorted(results.restarts.items())),
        "counts": {
            **{kind.value: len(results.of(kind)) for kind in Kind},
            "slower": len(results.slower),
            "unsteady": len(unsteady),
            "expected": sum(one["expected"] is not None for one in differences),
        },
        "differences": differences,
        "both_wrong": both,
        "unsteady": unsteady,
        "measured": results.measured,
        "slower": slower,
        "faster": [_slower(one, context) for one in results.faster],
        "expected_unused": list(context.expectations.unused(signatures)),
        "interrupted": results.interrupted,
        "failed": results.failed,
        "folder": str(context.folder),
        "exit_code": int(bool(bad)),
    }


def difference_folder(counted: Counted, folder: Path) -> Path:
    """Where the files of a difference are."""
    difference = counted.met.difference
    return folder / difference.kind.value.replace(" ", "-") / file_name(difference.signature)


def write_difference(counted: Counted, context: Context) -> Path:
    """Writes a difference's folder: the program small and as it was met, both sides' words and
    outputs, and a script that shows it by stock tools. Returns the folder; raises OSError."""
    folder = difference_folder(counted, context.folder)
    folder.mkdir(parents=True, exist_ok=True)
    finished, met, shown = counted.finished, counted.met, _outputs(counted)
    files = {
        "original.mlir": met.offered.text,
        "program.mlir": finished.text if finished is not None else met.offered.text,
        "baseline.txt": _side_text(met.difference.baseline, shown[0]),
        "candidate.txt": _side_text(met.difference.candidate, shown[1]),
    }
    if finished is not None and (finished.baseline or finished.candidate):
        files["reproduce.sh"] = _script(counted, finished, context)
    files["difference.json"] = json.dumps(_difference(counted, context), indent=2) + "\n"
    for name, content in files.items():
        write_atomically(folder / name, content)
    if "reproduce.sh" in files:
        (folder / "reproduce.sh").chmod(0o755)
    return folder


def _difference(counted: Counted, context: Context) -> Report:
    difference, finished, met = counted.met.difference, counted.finished, counted.met
    fault, shown = difference.fault, _outputs(counted)
    return {
        "kind": difference.kind.value,
        "signature": difference.signature,
        "check": difference.check,
        "verdict": None if fault is None else fault.verdict.value,
        "stage": None if fault is None else fault.stage,
        "message": "" if fault is None else fault.message,
        "count": counted.count,
        "first": met.offered.name,
        "ops": finished.ops if finished is not None and finished.ops else met.ops,
        "reduced": finished is not None and finished.reduced,
        "confirmed": finished is not None and finished.confirmed,
        "also": list(finished.also) if finished is not None else [],
        "known": _known(counted, context),
        "expected": context.expectations.accepts(difference.signature),
        "baseline": _side(difference.baseline, shown[0]),
        "candidate": _side(difference.candidate, shown[1]),
        "program": finished.text if finished is not None else met.offered.text,
        "folder": str(difference_folder(counted, context.folder)),
    }


def _outputs(counted: Counted) -> tuple[Shown | None, Shown | None]:
    """What the stock tools of both sides said, where they were asked."""
    finished = counted.finished
    return (None, None) if finished is None else (finished.baseline, finished.candidate)


def _side(says: str, shown: Shown | None) -> Report:
    return {
        "says": says,
        "commands": [] if shown is None else list(shown.commands),
        "output": "" if shown is None else shown.output[:_LONGEST_OUTPUT],
        "shows": None if shown is None else shown.shows,
    }


def _side_text(says: str, shown: Shown | None) -> str:
    if shown is None:
        return says.rstrip() + "\n"
    commands = "\n".join(f"$ {one}" for one in shown.commands)
    return f"{says.rstrip()}\n\n{commands}\n{shown.output.rstrip()}\n"


def _script(counted: Counted, finished: Finished, context: Context) -> str:
    difference = counted.met.difference
    lines = [
        "#!/usr/bin/env bash",
        f"# {difference.kind.value}: {difference.signature}",
        "# BASELINE_BIN and CANDIDATE_BIN are the folders of the two compilers' tools.",
        'cd "$(dirname "$0")" || exit 2',
    ]
    for side, shown in (("baseline", finished.baseline), ("candidate", finished.candidate)):
        if shown is None:
            continue
        told = context.facts.get(side)
        release = told.get("release") if isinstance(told, dict) else None
        variable = f"{side.upper()}_BIN"
        what = "shows it" if shown.shows else "does not show it"
        lines += [
            f'echo "== {side}, IREE {release}: {what}"',
            f'( PATH="${{{variable}:?the folder of the {side}s iree-opt}}:$PATH"',
            *(f"  {command}" for command in shown.commands),
            ")",
        ]
    return "\n".join(lines) + "\n"


def _known(counted: Counted, context: Context) -> str | None:
    entry = context.known.get(counted.met.difference.signature)
    return None if entry is None else entry.identity


def _slower(one: Slower, context: Context) -> Report:
    signature = f"slower/{one.stage.replace(' ', '-')}"
    return {
        "signature": signature,
        "expected": context.expectations.accepts(signature),
        **{
            name: value if isinstance(value, str | int) else float(f"{value:.4g}")
            for name, value in asdict(one).items()
        },
    }
