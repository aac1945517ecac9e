"""`crosscurrent merge RUN_DIR… --out DIR`: the shards of a run as one run."""

from __future__ import annotations

import json
from pathlib import Path

import click

from oracle.campaigns.findings import write_atomically
from oracle.campaigns.journal import JournalError
from oracle.campaigns.merging import MergeError
from oracle.campaigns.merging import merge as merge_runs
from oracle.campaigns.summary import summary, told
from oracle.commands.options import InputError, MachineError, OutFolder, exit_code


@click.command()
@click.argument(
    "run_dirs",
    metavar="RUN_DIR...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
@click.option(
    "--out",
    type=OutFolder(),
    required=True,
    help="The new folder, which must not be there yet.",
)
@click.option("--partial", is_flag=True, help="Also where shards are missing; the summary says so.")
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The summary as one JSON object.",
)
def merge(run_dirs: tuple[Path, ...], out: Path, partial: bool, json_file: Path | None) -> None:
    """Puts the shards of a run (`fuzz --shard I/N`) together: one folder whose summary and findings
    are those of the run in one piece. RUN_DIR is an --out folder or one of its runs/NAME."""
    try:
        merged = merge_runs(run_dirs, out, partial)
        asked, tally = merged.settings, merged.tally
        click.echo(told(tally, merged.facts, asked.checks, out))
        if json_file is not None:
            text = json.dumps(summary(tally, merged.facts, asked.checks, out), indent=2)
            write_atomically(json_file, text + "\n")
    except MergeError as error:
        raise InputError(str(error)) from None
    except JournalError as error:
        raise MachineError(str(error)) from None
    except OSError as error:
        raise MachineError(f"cannot merge: {error}") from None
    click.get_current_context().exit(exit_code(tally))
