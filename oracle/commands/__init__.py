"""The commands of `crosscurrent`, one a file. To add one: its file, its name in the list below."""

from __future__ import annotations

from importlib import import_module

import click

from oracle.version import VERSION

NAMES = (
    "fuzz",
    "merge",
    "check",
    "premerge",
    "bisect",
    "generate",
    "reduce",
    "replay",
    "triage",
    "report",
    "doctor",
)


class _Commands(click.Group):
    """The commands, each imported when it is asked for: some load much that others do not need."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in NAMES:
            return None
        command: click.Command = getattr(import_module(f"oracle.commands.{cmd_name}"), cmd_name)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="crosscurrent")
def commands() -> None:
    """Tells whether IREE's multi-device Stream compiler is right."""
