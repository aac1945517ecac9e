"""The `crosscurrent` script.

Exit codes: 0 agreement, 1 a finding that is not known, 2 the call or the input is wrong,
3 crosscurrent itself or its machine failed, 130 interrupted with the results kept.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback

EXIT_WRONG_CALL = 2
EXIT_FAILED = 3
EXIT_INTERRUPTED = 130


def main() -> None:
    """Runs the command that the arguments name, and exits with its code."""
    _have_standard_streams()
    _end_as_for_an_interrupt()
    try:
        sys.exit(_run(sys.argv[1:]))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output is gone: nothing more can be told, least of all at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_FAILED)
    except OSError as error:
        # A full disk, a folder that cannot be written: the machine's failure, not a finding.
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(EXIT_FAILED)
    except Exception:
        # A fault of ours must not look like a finding.
        traceback.print_exc()
        print("Error: crosscurrent itself failed; what was found is kept", file=sys.stderr)
        sys.exit(EXIT_FAILED)


def _have_standard_streams() -> None:
    """Opens standard streams that the caller closed: their numbers would go to the next files that
    are opened, and what a compiler's process says would go into these.

    Without standard output no result can be told: exits.
    """
    # Lowest first: the system gives the lowest number that is free.
    closed = [number for number in (0, 1, 2) if _is_closed(number)]
    for _ in closed:
        os.open(os.devnull, os.O_RDWR)
    if 2 in closed:
        sys.stderr = os.fdopen(2, "w", closefd=False)
    if 1 in closed:
        print("Error: standard output is closed, so no result can be told", file=sys.stderr)
        sys.exit(EXIT_FAILED)


def _end_as_for_an_interrupt() -> None:
    """Has SIGTERM and SIGHUP end a command as Ctrl-C does, unless whoever started it said no."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False


def _run(arguments: list[str]) -> int:
    # Imported here, so that a Ctrl-C meanwhile ends as any other.
    import click

    from oracle.commands import commands

    try:
        # Not click's own main(), which turns a closed pipe into exit code 1.
        with commands.make_context("crosscurrent", arguments) as context:
            commands.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as wanted:
        sys.stdout.flush()
        return wanted.exit_code
    except click.UsageError as error:
        error.show()
        return EXIT_WRONG_CALL
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        error.show()
        return error.exit_code
    return 0
