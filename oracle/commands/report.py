"""`crosscurrent report RUN_DIR`: what a run found, for people and for CI systems."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import click

from oracle.campaigns.findings import write_atomically
from oracle.commands.options import InputError, MachineError, compiler_option, open_compiler
from oracle.corpus import default_corpus
from oracle.examiner import ExaminerSettings
from oracle.reports.content import Report, report_of
from oracle.reports.runs import read_runs
from reference.releases import RELEASES, Release, release_rules

_SECONDS = 2.0
"""For the compiler to schedule one program whose picture is drawn."""


@click.command()
@click.argument("run_dir", type=click.Path(path_type=Path))
@click.option("-o", "--output", metavar="FILE.html",
              type=click.Path(dir_okay=False, path_type=Path),
              help="The page; by default RUN_DIR/report.html.")  # fmt: skip
@click.option("--markdown", "markdown_file", type=click.Path(dir_okay=False, path_type=Path),
              help="For the summary of a CI job.")  # fmt: skip
@click.option("--junit", "junit_file", type=click.Path(dir_okay=False, path_type=Path),
              help="JUnit XML, for a CI system.")  # fmt: skip
@click.option("--pictures/--no-pictures", default=True, show_default=True,
              help="Ask the compiler how it schedules each program, and draw it.")  # fmt: skip
@click.option("--corpus", type=click.Path(exists=True, file_okay=False, path_type=Path),
              default=default_corpus, show_default="the one that came with crosscurrent",
              help="What tells which releases a known cause affects.")  # fmt: skip
@compiler_option
def report(
    run_dir: Path,
    output: Path | None,
    markdown_file: Path | None,
    junit_file: Path | None,
    pictures: bool,
    corpus: Path,
    compiler: str,
) -> None:
    """Makes one HTML file of the runs in RUN_DIR, an --out folder of `fuzz` or one of its runs.

    What the folder does not say is told as not recorded. Where a part of it is damaged, the rest is
    reported and the exit code is 3.
    """
    if not run_dir.is_dir():
        raise InputError(f"there is no folder {run_dir}")
    files = {"--output": output, "--markdown": markdown_file, "--junit": junit_file}
    for option, path in files.items():
        if path is not None and not path.absolute().parent.is_dir():
            raise InputError(f"{option}: there is no folder {path.absolute().parent}")
    told = report_of(read_runs(run_dir), corpus)
    if told.empty:
        why = "".join(f"\n  {problem}" for problem in told.problems)
        raise (MachineError if told.problems else InputError)(
            f"{run_dir} holds no run and no finding: is it the --out of a fuzz run?{why}"
        )
    from oracle.reports import exchange

    release = _release(told)
    page = output or run_dir / "report.html"
    _write(page, lambda: _page(told, release, compiler if pictures else None))
    if markdown_file is not None:
        _write(markdown_file, lambda: exchange.markdown(told, release))
    if junit_file is not None:
        _write(junit_file, lambda: exchange.junit(told))
    click.echo(f"{told.verdict} {page}")
    if told.problems:
        raise MachineError(
            "not all could be read:" + "".join(f"\n  {one}" for one in told.problems)
        )


def _page(told: Report, release: Release, compiler: str | None) -> str:
    # What draws takes a second to load: not for other commands.
    from oracle.reports.page import html, not_drawn
    from oracle.reports.pictures import Painter

    with ExitStack() as stack:
        draw = not_drawn("not drawn: --no-pictures")
        if compiler is not None and told.findings:
            try:
                under_test = open_compiler(compiler)
            except (InputError, MachineError) as error:
                click.echo(f"no pictures: {error.message}", err=True)
                draw = not_drawn(f"not drawn: {error.message}")
            else:
                settings = ExaminerSettings.of(under_test.spec, timeout=_SECONDS)
                draw = stack.enter_context(Painter(settings, under_test.release)).draw
        return html(told, release, draw)


def _release(told: Report) -> Release:
    """The rules of the release that was under test, the newest where nobody says."""
    for run in reversed(told.runs):
        try:
            return release_rules(str(run.compiler.get("release")))[0]
        except ValueError:
            continue
    return RELEASES[-1]


def _write(path: Path, made: Callable[[], str]) -> None:
    try:
        write_atomically(path, made())
    except OSError as error:
        raise MachineError(f"cannot write {path}: {error.strerror}") from None
