"""`python -m benchmarks.seeds --seeds DIFF`: do mutants of a change's tests reach the pass?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import click

from gen.profiles import PROFILES
from oracle.campaigns.lane import for_release
from oracle.campaigns.source import Generated, Seeded
from oracle.commands.options import InputError, compiler_option, open_compiler
from oracle.commands.seeding import read_by, say, seed_texts, seeds_options
from oracle.compiling import stages
from oracle.compiling.answers import Answer, Json, Outcome, Request
from oracle.examiner import Examiner, ExaminerSettings
from oracle.reading.raw import TRANSFER
from oracle.reading.reader import transfer_sites
from oracle.seeds.seeds import features_of
from reference.ir import Program
from reference.text import print_program

_BATCH = 16


@dataclass(slots=True)
class Reached:
    """What became of some programs at the pass: how many there are, come to it, have a transfer
    between devices that says not itself where it executes, and get an `on` by the pass; and where
    the compiler refused the others, by stage."""

    programs: int = 0
    came: int = 0
    deciding: int = 0
    placed: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def line(self, name: str) -> str:
        """As one line of a table."""
        shares = "  ".join(
            f"{count:5} ({count / max(self.programs, 1):6.1%})"
            for count in (self.came, self.deciding, self.placed)
        )
        return f"{name:<26} {self.programs:8}  {shares}"


@click.command()
@compiler_option
@seeds_options
@click.option("--seed", default=1, show_default=True)
@click.option("--count", default=500, show_default=True, help="How many mutants.")
def main(
    compiler: str, seeds: tuple[Path, ...], seeds_tree: Path | None, seed: int, count: int
) -> None:
    """Takes mutants through IREE's own passes up to `iree-stream-place-transfer-executions` and
    through it, and says how many have something there to decide; so for generated programs."""
    if not seeds:
        raise InputError("--seeds is missing")
    under_test = open_compiler(compiler)
    if stages.placement(under_test.version) is None:
        raise InputError(f"IREE {under_test.version} has no such pass")
    given = seed_texts(seeds, seeds_tree)
    features = features_of(under_test.release)
    read = read_by(under_test, given.texts, features, 5.0, 4096)
    say(read, given.notes)
    click.echo(f"{len(read.functions)} functions are seeds: {', '.join(read.functions)}")
    profile = for_release(PROFILES["well-formed"], under_test.release)
    source = Seeded(Generated(seed, profile), read, features)
    groups = {"seeds as they are": [one.text for one in read.programs]}
    if read.parents:
        groups["mutants"] = [source.mutant(number).text for number in range(count)]
    groups["generated, well-formed"] = [
        print_program(made)
        for number in range(count)
        if isinstance(made := source.generated.program(number), Program)
    ]
    settings = ExaminerSettings.of(under_test.spec)
    click.echo(f"{'':<26} {'programs':>8}  {'reach it':>14}  {'to decide':>14}  {'placed':>14}")
    with Examiner(settings, []) as examiner:
        for name, texts in groups.items():
            found = _reached(examiner, under_test.version, texts)
            click.echo(found.line(name))
            for stage, times in found.refused.most_common(3):
                click.echo(f"{'':<26} {times} refused by {stage}")


def _reached(examiner: Examiner, version: str, texts: list[str]) -> Reached:
    pipeline = stages.pipeline(version, "full")
    placement = stages.placement(version)
    assert placement is not None
    before = pipeline[: [one.name for one in pipeline].index(placement.name)]
    names = ["parse", *(one.name for one in before), "find", placement.name, "find"]
    find: tuple[Json, ...] = ("find", [TRANSFER])
    steps: tuple[tuple[Json, ...], ...] = (
        ("parse",),
        *(("run", one.pipeline) for one in before),
        find,
        ("run", placement.pipeline),
        find,
    )
    found = Reached()
    for start in range(0, len(texts), _BATCH):
        requests = [Request(text, steps) for text in texts[start : start + _BATCH]]
        for answer in examiner.process().ask(requests):
            _count(found, answer, names)
    return found


def _count(found: Reached, answer: Answer, names: list[str]) -> None:
    found.programs += 1
    if answer.outcome is not Outcome.OK:
        found.refused[names[answer.step]] += 1
        return
    found.came += 1
    before, after = transfer_sites(answer.results[-3]), transfer_sites(answer.results[-1])
    found.deciding += any(
        one.explicit is None and one.source != one.target for one in before.values()
    )
    found.placed += any(
        one.explicit is None and after[name].explicit is not None for name, one in before.items()
    )


if __name__ == "__main__":
    main()
