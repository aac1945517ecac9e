"""Does a pre-merge run find what a change to one pass makes worse, and how soon?

`python -m benchmarks.premerge` puts a compiler against itself with one pass edited, for each edit
of `tests/oracle/edited_worker.py`, and prints how long the run took to be sure of the first
difference that the edit made, what it was, and what else was told. Exit code 1 where an edit was
not found in 120 s, or where something was told `fixed`.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from dataclasses import replace
from pathlib import Path

from gen.profiles import PROFILES
from oracle.campaigns.lane import for_release
from oracle.checks import CHECKS
from oracle.commands.options import open_compiler
from oracle.examiner import ExaminerSettings
from oracle.premerge.lane import PairSettings
from oracle.premerge.programs import generated, ranked
from oracle.premerge.run import Counted, Results, Run, RunSettings
from oracle.premerge.side import SideSettings
from oracle.premerge.sorting import Kind

WORKER = Path(__file__).resolve().parents[1] / "tests" / "oracle" / "edited_worker.py"
_LIMIT = 120.0


def main() -> int:
    """Plants each edit in turn; the exit code says whether all were found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", default=",".join(_names()))
    parser.add_argument("--seconds", type=float, default=_LIMIT)
    parser.add_argument("--programs", type=int, default=60)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--checks", default=",".join(CHECKS))
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    missed = 0
    for name in options.edits.split(","):
        found, results = _planted(name, options)
        kinds = {kind: len(results.of(kind)) for kind in Kind if kind is not Kind.BOTH_WRONG}
        slow = [one.stage for one in results.slower]
        wanted = bool(found or results.of(Kind.CHANGED) or slow)
        if not wanted or kinds[Kind.FIXED]:
            missed += 1
        first = found[0] if found else None
        told = "" if first is None else f"{first[0]:.0f} s, {first[2]} ops: {first[1]}"
        counts = ", ".join(f"{count} {kind.value}" for kind, count in kinds.items())
        print(f"{name:22} {told or 'nothing regressed'} ({counts}, slower: {slow or 'nothing'}, "
              f"{results.fresh} programs in {results.seconds:.0f} s)", flush=True)  # fmt: skip
        for kind in (Kind.REGRESSED, Kind.FIXED, Kind.CHANGED):
            for one in results.of(kind):
                difference = one.met.difference
                print(f"    {kind.value} in {one.count}, first {one.met.offered.name}: "
                      f"{difference.signature}", flush=True)  # fmt: skip
    return 1 if missed else 0


def _names() -> list[str]:
    """The edits there are: the keys of the worker's table, which runs in its own interpreter."""
    text = WORKER.read_text(encoding="utf-8")
    return re.findall(r'^    "([\w-]+)": _', text, re.MULTILINE)


def _planted(
    name: str, options: argparse.Namespace
) -> tuple[list[tuple[float, str, int]], Results]:
    under_test = open_compiler("installed")
    rules = under_test.release
    plain = ExaminerSettings.of(under_test.spec)
    edited = replace(plain, worker_script=WORKER, environment=(("CROSSCURRENT_EDIT", name),))
    checks = tuple(name for name in CHECKS if name in options.checks.split(","))
    before, after = (SideSettings(one, rules, under_test.version) for one in (plain, edited))
    pair = PairSettings(before, after, checks, options.out / "in-flight" / f"planted-{name}")
    found: list[tuple[float, str, int]] = []
    started = time.monotonic()

    def note(counted: Counted) -> None:
        assert counted.finished is not None
        signature = counted.met.difference.signature
        found.append((time.monotonic() - started, signature, counted.finished.ops))

    fresh = ranked(generated(1, for_release(PROFILES["nightly"], rules)))
    settings = RunSettings(pair, options.workers, options.seconds, options.programs)
    return found, Run(settings, (), fresh, note, lambda _: None).run()


if __name__ == "__main__":
    sys.exit(main())
