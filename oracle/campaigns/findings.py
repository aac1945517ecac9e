"""Findings on disk: one folder each, written whole or not at all.

A folder holds `program.mlir`, `verdict.json`, `expected.txt`, `actual.txt`, `reproduce.sh` (stock
tools only) and `stock.txt` (what those printed here). Several runs may share one folder: whoever
writes a finding first keeps it, the others leave it alone.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from oracle.checks.base import Confirmation
from oracle.signature import file_name
from oracle.verdict import Fault, State


@dataclass(frozen=True, slots=True)
class Finding:
    """One cause, as first seen: program number `first_seed` of the run, and its text.

    `known` is the corpus entry with the same signature, None for a finding not known.
    """

    fault: Fault
    state: State
    level: str
    first_seed: int
    text: str
    ops: int
    known: str | None
    confirmation: Confirmation

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


def _version(facts: dict[str, object]) -> str:
    compiler = facts.get("compiler")
    return str(compiler["release"]) if isinstance(compiler, dict) else "unknown"


class FindingsFolder:
    """`OUT/findings/`. Raises OSError when it cannot be written."""

    def __init__(self, out: Path) -> None:
        self.path = out / "findings"
        self.path.mkdir(parents=True, exist_ok=True)

    def record(self, finding: Finding, facts: dict[str, object]) -> Path:
        """Writes the finding's folder and returns it; the same finding that is there is kept.

        `facts` (seed, profile, compiler …) go into `verdict.json` beside what the finding says.
        What another run found under this signature stays too: the new folder's name then has a
        number.
        """
        files = _files(finding, facts)
        for number in itertools.count(1):
            name = finding.folder_name + (f"~{number}" if number > 1 else "")
            final = self._write(self.path / name, files)
            if _same(final / "verdict.json", files["verdict.json"]):
                break
        return final

    def _write(self, final: Path, files: dict[str, str]) -> Path:
        """Makes the folder, unless somebody already has."""
        if final.exists():
            return final
        unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=self.path))
        try:
            for name, content in files.items():
                _write(unfinished / name, content)
            (unfinished / "reproduce.sh").chmod(0o755)
            unfinished.chmod(0o755)
            try:
                unfinished.rename(final)
            except OSError:
                if not final.exists():
                    raise
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        return final


def write_atomically(path: Path, content: str) -> None:
    """Replaces `path` by `content`; a reader sees the old file or the new one, never a part."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
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


def _same(path: Path, content: str) -> bool:
    """Whether a file holds just that; not when it cannot be read."""
    try:
        return path.read_text(encoding="utf-8") == content
    except (OSError, UnicodeDecodeError):
        return False


def _write(path: Path, content: str) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _files(finding: Finding, facts: dict[str, object]) -> dict[str, str]:
    fault, confirmation = finding.fault, finding.confirmation
    verdict: dict[str, object] = {
        "signature": fault.signature,
        "check": fault.check,
        "verdict": fault.verdict.value,
        "stage": fault.stage,
        "state": finding.state.value,
        "level": finding.level,
        "message": fault.message,
        "first_seed": finding.first_seed,
        "ops": finding.ops,
        "known": finding.known,
        "confirmed_by_stock_tools": confirmation.confirmed,
        **facts,
    }
    commands = "\n".join(confirmation.commands)
    return {
        "program.mlir": finding.text,
        "verdict.json": json.dumps(verdict, indent=2) + "\n",
        "expected.txt": fault.expected.rstrip() + "\n",
        "actual.txt": fault.actual.rstrip() + "\n",
        "reproduce.sh": _REPRODUCE.format(version=_version(facts), commands=commands),
        "stock.txt": confirmation.output.rstrip() + "\n",
    }
