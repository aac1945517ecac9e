"""`crosscurrent generate`: programs as files."""

from __future__ import annotations

from pathlib import Path

import click

from gen.profiles import Profile
from gen.programs import program
from oracle.commands.options import OutFolder, profile_option
from oracle.wording import counted
from reference.text import print_program


@click.command()
@click.option("--seed", type=int, default=1, show_default=True, help="The run's seed.")
@click.option("--count", type=click.IntRange(1), required=True, help="How many programs.")
@click.option("--first", type=click.IntRange(0), default=0, show_default=True, help="From number.")
@click.option("--out", type=OutFolder(), required=True)
@profile_option("default")
def generate(seed: int, count: int, first: int, out: Path, profile: Profile) -> None:
    """Writes the programs that `fuzz` with the same seed and profile would try, a file each.

    Unlike `fuzz`, it takes the profile `default` where none is named: valid programs of every kind,
    not only well-formed ones.
    """
    out.mkdir(parents=True, exist_ok=True)
    for index in range(first, first + count):
        text = print_program(program(seed, index, profile))
        (out / f"{index:06}.mlir").write_text(text, encoding="utf-8")
    click.echo(f"{counted(count, 'program')} of profile {profile.name}, seed {seed}, in {out}")
