"""The command line: `crosscurrent fuzz | check | generate | doctor`.

Exit codes: 0 agreement, 1 a finding that is not known, 2 the call or the input is wrong,
3 crosscurrent itself or its machine failed, 130 interrupted with the results kept.
"""

from __future__ import annotations

import sys

import click

from oracle.commands.check import check
from oracle.commands.doctor import doctor
from oracle.commands.fuzz import fuzz
from oracle.commands.generate import generate
from oracle.version import VERSION

EXIT_FAILED = 3
EXIT_INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="crosscurrent")
def commands() -> None:
    """Tells whether IREE's multi-device Stream compiler is right."""


for command in (fuzz, check, generate, doctor):
    commands.add_command(command)


def main() -> None:
    """The `crosscurrent` script."""
    try:
        # Without click's own ending, what a command exits with is what main() returns.
        code = commands.main(standalone_mode=False, prog_name="crosscurrent")
        sys.exit(code if isinstance(code, int) else 0)
    except click.UsageError as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(EXIT_INTERRUPTED)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except OSError as error:
        # A full disk, a folder that cannot be written: the machine's failure, not a finding.
        click.echo(f"Error: {error}", err=True)
        sys.exit(EXIT_FAILED)
