"""`crosscurrent doctor`: what is installed, which compilers and device drivers work here."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import psutil

from oracle.checks import CHECKS
from oracle.commands.options import CompilerUnderTest, InputError, MachineError, open_compiler
from oracle.compiling.compilers import cache_folder
from oracle.examiner import ExaminerSettings
from oracle.machine import cores
from oracle.version import VERSION
from reference.releases import RELEASES

_TOOLS = ("iree-opt", "iree-compile", "iree-run-module")
_SECONDS = 30.0


@click.command()
@click.option("--compiler", "compilers", multiple=True, default=("installed",), metavar="SPEC")
def doctor(compilers: tuple[str, ...]) -> None:
    """Says what is installed and what works on this machine."""
    memory = psutil.virtual_memory().total / 2**30
    click.echo(f"crosscurrent {VERSION}, Python {platform.python_version()}")
    click.echo(f"machine: {cores()} cores, {memory:.0f} GiB")
    click.echo(f"releases the model knows: {', '.join(one.version for one in RELEASES)}")
    kept = sorted(path.parent.parent.name for path in cache_folder().glob("*/bin/python"))
    click.echo(f"releases kept here: {', '.join(kept) or 'none'}")
    broken = [spec for spec in compilers if not _told(spec)]
    if broken:
        raise MachineError(f"{', '.join(broken)} cannot be used")


def _told(spec: str) -> bool:
    try:
        compiler = open_compiler(spec)
    except (InputError, MachineError) as error:
        click.echo(f"compiler {spec}: {error.message}")
        return False
    known = "" if compiler.known else f", not known: the rules of {compiler.release.version}"
    click.echo(
        f"compiler {spec}: IREE {compiler.version} "
        f"(revision {compiler.revision or 'unknown'}){known}"
    )
    click.echo(f"  reached by: {_way(compiler)}")
    directory = compiler.spec.tools
    for tool in _TOOLS:
        click.echo(f"  {tool}: {'yes' if (directory / tool).exists() else 'missing'}")
    for what, answer in _abilities(compiler):
        click.echo(f"  {what}: {answer}")
    click.echo(f"  device drivers: {_drivers(compiler, directory)}")
    return True


def _way(compiler: CompilerUnderTest) -> str:
    """How the compiler is asked."""
    spec = compiler.spec
    if spec.bare is not None:
        return f"{spec.bare} alone, many programs a process; the installed bindings read its output"
    if spec.environment:
        return f"the build tree's Python bindings, imported by {spec.interpreter}"
    return f"the Python bindings of {spec.interpreter}"


def _abilities(compiler: CompilerUnderTest) -> Iterator[tuple[str, str]]:
    """What the compiler can be used for, and where it cannot, why."""
    there = {tool: (compiler.spec.tools / tool).exists() for tool in _TOOLS}
    asked = [name for name in CHECKS if name not in compiler.unanswerable]
    yield "checks", f"{len(asked)} of {len(CHECKS)}"
    if compiler.unanswerable:
        yield "not asked", f"{', '.join(compiler.unanswerable)} (no Python bindings)"
    elif "run" in asked and not _has_runtime(compiler):
        yield "cannot run programs", "its interpreter has no iree.runtime"
    confirms = "yes" if there["iree-opt"] else "no: no iree-opt"
    if there["iree-opt"] and not (there["iree-compile"] and there["iree-run-module"]):
        confirms = "yes, but not those of `run`: iree-compile and iree-run-module are needed"
    yield "confirms findings by stock tools", confirms
    bare = compiler.spec.bare is not None
    yield "compile times by pass", "no: only bindings tell them" if bare else "yes"


def _has_runtime(compiler: CompilerUnderTest) -> bool:
    """Whether programs can be run in-process."""
    variables = ExaminerSettings.of(compiler.spec).variables
    command = [str(compiler.spec.interpreter), "-c", "import iree.runtime"]
    try:
        done = subprocess.run(
            command, env=variables, capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _drivers(compiler: CompilerUnderTest, directory: Path) -> str:
    """The runtime's drivers, as `iree-run-module` lists them."""
    tool = directory / "iree-run-module"
    if not tool.exists():
        return f"unknown: no iree-run-module in {compiler.spec.tools}"
    names = [
        line.partition(":")[0].strip()
        for line in _printed(tool, "--list_drivers")
        if ":" in line and not line.startswith("#")
    ]
    return ", ".join(f"{name} ({_devices(tool, name)})" for name in names) or "none"


def _devices(tool: Path, driver: str) -> str:
    """How many devices a driver finds: a driver may be listed where its library is missing."""
    count = sum(1 for line in _printed(tool, f"--list_devices={driver}") if "://" in line)
    return f"{count} device{'s' * (count > 1)}" if count else "no device here"


def _printed(tool: Path, argument: str) -> list[str]:
    """The lines a tool prints, none when it fails or does not end."""
    try:
        done = subprocess.run(
            [tool, argument], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return []
    return done.stdout.splitlines() if done.returncode == 0 else []
