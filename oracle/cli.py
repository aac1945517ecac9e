"""The command line: `crosscurrent fuzz | check | generate | doctor`.

Exit codes: 0 agreement, 1 a finding that is not known, 2 the call or the input is wrong,
3 crosscurrent itself or its machine failed, 130 interrupted with the results kept.
"""

from __future__ import annotations

import sys

import click

EXIT_FAILED = 3
EXIT_INTERRUPTED = 130


def main() -> None:
    """The `crosscurrent` script."""
    try:
        # Imported here, so that a Ctrl-C meanwhile ends as any other.
        from oracle.commands import commands

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
