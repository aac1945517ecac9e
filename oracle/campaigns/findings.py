"""Findings on disk: one folder each, written whole or not at all.

A folder holds `program.mlir`, `verdict.json`, `expected.txt`, `actual.txt`, `reproduce.sh` (stock
tools only) and `stock.txt` (what those printed here); the same of its program on tensors in
`tensor/`, where it shows there too. Several runs may share one folder: whoever writes a finding
first keeps it, the others leave it alone.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from oracle.checks.base import Confirmation
from oracle.signature import file_name
from oracle.verdict import Fault, State

VERDICT = "verdict.json"
CONFIRMED = "confirmed_by_stock_tools"
"""The key of a verdict that says whether they show the finding; null until they were asked."""
ADDED = ("reduced", "reduction", CONFIRMED, "level", "level_reason")
"""What is added to a verdict beside the lanes: when the finding is reduced, or a known one
confirmed."""


@dataclass(frozen=True, slots=True)
class Higher:
    """The program of a finding at the highest level at which it shows, where that is another one,
    and what stock tools say of it there."""

    text: str
    confirmation: Confirmation


@dataclass(frozen=True, slots=True)
class Finding:
    """One cause, as first seen: program number `first_seed` of the run, and its text.

    `known` is the corpus entry with the same signature, None for a finding not known. `level` is
    the highest at which it shows, `level_reason` why that is not `tensor`. `confirmation` is None
    while the stock tools have not been asked, which for a known cause is done beside the lanes.
    """

    fault: Fault
    state: State
    level: str
    first_seed: int
    text: str
    ops: int
    known: str | None
    confirmation: Confirmation | None
    level_reason: str | None = None
    higher: Higher | None = None

    @property
    def folder_name(self) -> str:
        """The name of its folder under `findings/`."""
        return file_name(self.fault.signature)


_REPRODUCE = """\
#!/usr/bin/env bash
# Shows the finding with IREE {version}: pip install iree-base-compiler=={version}
# IREE_BIN may name the folder of that release's tools.
PATH="${{IREE_BIN:+$(realpath "$IREE_BIN"):}}$PATH"
cd "$(dirname "$0")" || exit 2
command -v iree-opt > /dev/null || {{ echo "no iree-opt: set IREE_BIN to its folder" >&2; exit 2; }}
{commands}
"""


def _version(facts: Mapping[str, object]) -> str:
    compiler = facts.get("compiler")
    return str(compiler["release"]) if isinstance(compiler, Mapping) else "unknown"


class FindingsFolder:
    """`OUT/findings/`. Raises OSError when it cannot be written."""

    def __init__(self, out: Path) -> None:
        self.path = out / "findings"
        self.path.mkdir(parents=True, exist_ok=True)

    def record(self, finding: Finding, facts: Mapping[str, object], run: str = "") -> Path:
        """Writes the finding's folder and returns it; the same finding that is there is kept.

        `facts` (seed, profile, compiler …) go into `verdict.json` beside what the finding says.
        What another run found under this signature stays too: the new folder's name then has a
        number. What `run` itself wrote before it was killed is its finding, whatever chance made
        the compiler say differently then.
        """
        files = _files(finding, facts, run)
        ours = json.loads(files[VERDICT])
        for number in itertools.count(1):
            name = finding.folder_name + (f"~{number}" if number > 1 else "")
            final = write_folder(self.path / name, files, run)
            if _same(final / VERDICT, ours):
                break
        return final


def verdict_of(folder: Path) -> dict[str, object]:
    """A finding's `verdict.json`. Raises OSError, ValueError where it is damaged."""
    verdict = json.loads((folder / VERDICT).read_text(encoding="utf-8"))
    if not isinstance(verdict, dict):
        raise ValueError(f"{folder / VERDICT} is damaged")
    return verdict


def clear(out: Path, run: str) -> None:
    """Removes what `run` had begun to write below `out` when it was killed."""
    for pattern in (f"*/{_unfinished(run)}*", f"*/.{run}~*", f"*/*/.{run}~*"):
        for begun in out.glob(pattern):
            if begun.is_dir():
                shutil.rmtree(begun, ignore_errors=True)
            else:
                begun.unlink(missing_ok=True)


def write_folder(final: Path, files: Mapping[str, str], run: str = "") -> Path:
    """Makes a folder with these files, whole or not at all, unless somebody already has."""
    if final.exists():
        return final
    unfinished = Path(tempfile.mkdtemp(prefix=_unfinished(run), dir=final.parent))
    try:
        for name, content in files.items():
            (unfinished / name).parent.mkdir(exist_ok=True)
            _write(unfinished / name, content)
            if name.endswith(".sh"):
                (unfinished / name).chmod(0o755)
        unfinished.chmod(0o755)
        try:
            unfinished.rename(final)
        except OSError:
            if not final.exists():
                raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return final


def _unfinished(run: str) -> str:
    """How the name of a folder begins that is not whole yet."""
    return f".unfinished-{run}-"


def write_atomically(path: Path, content: str, run: str | None = None) -> None:
    """Replaces `path` by `content`; a reader sees the old file or the new one, never a part.

    A link stays and what it points to is replaced. What is no regular file, such as a terminal or
    a pipe, is written to as it is. `run` is who writes: what is left of a write when it is killed
    bears its name. Raises OSError.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8") as stream:
            stream.write(content)
        return
    prefix = f".{path.name}-" if run is None else f".{run}~{path.name}-"
    descriptor, name = tempfile.mkstemp(prefix=prefix, dir=path.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.chmod(0o644)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _same(path: Path, ours: Mapping[str, object]) -> bool:
    """Whether a verdict is of the same finding; not when it cannot be read."""
    try:
        theirs = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    if not isinstance(theirs, dict) or theirs.get("signature") != ours["signature"]:
        return False
    if ours["run"] and theirs.get("run") == ours["run"]:
        return True
    return _lasting(theirs) == _lasting(ours)


def _lasting(verdict: Mapping[str, object]) -> dict[str, object]:
    """What a verdict says, whoever wrote it and whatever was added since."""
    return {key: value for key, value in verdict.items() if key not in ("run", *ADDED)}


def _write(path: Path, content: str) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _files(finding: Finding, facts: Mapping[str, object], run: str) -> dict[str, str]:
    fault = finding.fault
    verdict: dict[str, object] = {
        "signature": fault.signature,
        "check": fault.check,
        "verdict": fault.verdict.value,
        "stage": fault.stage,
        "state": finding.state.value,
        "level": finding.level,
        "level_reason": finding.level_reason,
        "message": fault.message,
        "first_seed": finding.first_seed,
        "ops": finding.ops,
        "known": finding.known,
        CONFIRMED: None if finding.confirmation is None else finding.confirmation.confirmed,
        **facts,
        "run": run,
    }
    files = {
        "program.mlir": finding.text,
        VERDICT: json.dumps(verdict, indent=2) + "\n",
        "expected.txt": fault.expected.rstrip() + "\n",
        "actual.txt": fault.actual.rstrip() + "\n",
    }
    if finding.confirmation is not None:
        files |= shown_by(finding.confirmation, finding.higher, facts)
    return files


def shown_by(
    confirmation: Confirmation, higher: Higher | None, facts: Mapping[str, object]
) -> dict[str, str]:
    """The files of a finding's folder that say what the stock tools said, by name."""
    files = _stock_files("", confirmation, facts)
    if higher is not None:
        files["tensor/program.mlir"] = higher.text
        files |= _stock_files("tensor/", higher.confirmation, facts)
    return files


def _stock_files(
    prefix: str, confirmation: Confirmation, facts: Mapping[str, object]
) -> dict[str, str]:
    commands = "\n".join(confirmation.commands)
    return {
        f"{prefix}reproduce.sh": _REPRODUCE.format(version=_version(facts), commands=commands),
        f"{prefix}stock.txt": confirmation.output.rstrip() + "\n",
    }
