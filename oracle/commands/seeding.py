"""`--seeds PATH`: what several commands do with it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from gen.mutation.material import Features
from oracle.commands.options import Command, CompilerUnderTest, InputError, MachineError
from oracle.examiner import Examiner, ExaminerError, ExaminerSettings
from oracle.seeds.given import Given, SeedsError, given
from oracle.seeds.reading import read_seeds
from oracle.seeds.seeds import GivenText, Seeds
from oracle.wording import counted

_TOLD = 12
"""So many lines at most are said of what is not read or not mutated."""


def seeds_options(command: Command) -> Command:
    """`--seeds PATH` and `--seeds-tree DIR`."""
    tree = click.option(
        "--seeds-tree",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        metavar="DIR",
        help="The repository that a diff of --seeds is of, before or after the change: functions "
        "of which the diff holds only a part are then read whole.",
    )
    seeds = click.option(
        "--seeds",
        multiple=True,
        type=click.Path(exists=True, path_type=Path),
        metavar="PATH",
        help="Half of the programs are made of those in a folder, a file or a unified diff of an "
        "IREE change: as they are, then mutated. May be given several times.",
    )
    return seeds(tree(command))


def seed_texts(paths: Sequence[Path], tree: Path | None) -> Given:
    """The modules that `--seeds` names. Raises InputError."""
    try:
        return given(paths, tree)
    except SeedsError as error:
        raise InputError(f"--seeds: {error}") from None


def read_by(
    compiler: CompilerUnderTest,
    texts: Sequence[GivenText],
    features: Features,
    timeout: float,
    memory: int,
) -> Seeds:
    """The programs in these modules, read with that compiler; `timeout` is in seconds, `memory` in
    MiB. Raises InputError where there is none, MachineError."""
    settings = ExaminerSettings.of(compiler.spec, timeout, memory << 20)
    try:
        with Examiner(settings, []) as examiner:
            found = read_seeds(examiner, texts, compiler.release, features)
    except ExaminerError as error:
        raise MachineError(f"--seeds: {error}") from None
    if not found.programs:
        listed = "".join(f"\n  {note}" for note in found.notes)
        raise InputError(f"--seeds: there is no program that {compiler.version} reads{listed}")
    return found


def say(seeds: Seeds, notes: Sequence[str]) -> None:
    """Says on standard error what was read, and what was not and why."""
    programs = counted(len(seeds.programs), "program")
    functions = counted(len(seeds.functions), "function")
    click.echo(
        f"seeds: {programs} of {functions}, {len(seeds.parents)} of them to be mutated",
        err=True,
    )
    told = [*notes, *seeds.notes]
    for note in told[:_TOLD]:
        click.echo(f"  {note}", err=True)
    if len(told) > _TOLD:
        click.echo(f"  and {len(told) - _TOLD} more like these", err=True)
