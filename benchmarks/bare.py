"""Does a bare `iree-opt` give the same verdicts as the bindings of the same release?

`python -m benchmarks.bare --examples 2000` puts the same programs to both and compares, for each
check that a bare tool can answer, every verdict and every finding's signature. Exit code 1 where
one differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path

from gen.profiles import PROFILES
from gen.programs import program
from oracle.campaigns.lane import for_release, subject_of
from oracle.checks import CHECKS
from oracle.commands.options import BARE_CHECKS, CompilerUnderTest, open_compiler
from oracle.examination import Examination
from oracle.examiner import Examiner, ExaminerSettings

_BLOCK = 100
_BY_CHANCE = frozenset({"determinism"})


def main() -> int:
    """Compares, prints the counts, and says with the exit code whether all agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--profile", default="nightly", choices=sorted(PROFILES))
    parser.add_argument("--compiler", default="installed")
    parser.add_argument("--checks", default=",".join(BARE_CHECKS))
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    options = parser.parse_args()
    under_test = open_compiler(options.compiler)
    names = [name for name in CHECKS if name in options.checks.split(",")]
    profile = for_release(PROFILES[options.profile], under_test.release)
    counts: Counter[tuple[str, str]] = Counter()
    spent = [0.0, 0.0]
    differing = 0
    numbers = iter(range(options.first, options.first + options.examples))
    with (
        Examiner(_settings(under_test, bare=False), [CHECKS[name] for name in names]) as bindings,
        Examiner(_settings(under_test, bare=True), [CHECKS[name] for name in names]) as bare,
    ):
        while block := list(islice(numbers, _BLOCK)):
            subjects = [
                subject_of(
                    program(options.seed, number, profile), under_test.release, under_test.release
                )
                for number in block
            ]
            told: list[list[Examination]] = []
            for place, examiner in enumerate((bindings, bare)):
                started = time.monotonic()
                told.append(examiner.examine(subjects))
                spent[place] += time.monotonic() - started
            for number, one, other in zip(block, *told, strict=True):
                for check in names:
                    said, also = _said(one, check), _said(other, check)
                    same = said == also
                    counts[check, "same" if same else "other"] += 1
                    if not same:
                        by_chance = " (by chance)" if check in _BY_CHANCE else ""
                        differing += not by_chance
                        print(f"#{number} {check}{by_chance}: bindings {said}, bare {also}")
            print(f"{block[-1] + 1 - options.first} programs", file=sys.stderr, flush=True)
    for check in names:
        print(f"{check:12} {counts[check, 'same']} same, {counts[check, 'other']} other")
    rates = [options.examples / seconds for seconds in spent]
    print(f"{rates[0]:.1f} programs/s by the bindings, {rates[1]:.1f} by iree-opt")
    return 1 if differing else 0


def _settings(under_test: CompilerUnderTest, bare: bool) -> ExaminerSettings:
    settings = ExaminerSettings.of(under_test.spec)
    if not bare:
        return settings
    tool = Path(under_test.spec.tools) / "iree-opt"
    return replace(settings, bare=tool, interpreter=Path(sys.executable))


def _said(examination: Examination, check: str) -> tuple[str, ...]:
    """A check's verdict and what it found, in words that two compilers can share."""
    if examination.invalid is not None:
        return ("invalid",)
    (judgement,) = (one for one in examination.judgements if one.check == check)
    signatures = sorted(fault.signature for fault in judgement.faults)
    return (judgement.verdict.value, *signatures, *judgement.unsupported)


if __name__ == "__main__":
    sys.exit(main())
