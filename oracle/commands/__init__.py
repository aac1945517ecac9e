"""The commands of `crosscurrent`, one a file. To add one: its file, its place in the list below."""

from __future__ import annotations

import click

from oracle.commands.bisect import bisect
from oracle.commands.check import check
from oracle.commands.doctor import doctor
from oracle.commands.fuzz import fuzz
from oracle.commands.generate import generate
from oracle.commands.merge import merge
from oracle.commands.premerge import premerge
from oracle.commands.reduce import reduce
from oracle.commands.replay import replay
from oracle.commands.report import report
from oracle.commands.triage import triage
from oracle.version import VERSION


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="crosscurrent")
def commands() -> None:
    """Tells whether IREE's multi-device Stream compiler is right."""


for command in (
    fuzz,
    merge,
    check,
    premerge,
    bisect,
    generate,
    reduce,
    replay,
    triage,
    report,
    doctor,
):
    commands.add_command(command)
