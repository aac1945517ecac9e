"""Options and errors that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import click

from gen.profiles import PROFILES
from oracle.campaigns.counts import Tally
from oracle.checks import CHECKS
from oracle.compiling.compiler import CompilerProcess, CompilerUnavailable
from oracle.compiling.compilers import CompilerSetupError, CompilerSpec, CompilerSpecError, resolve
from oracle.compiling.probing import probe
from oracle.examiner import ExaminerSettings
from oracle.verdict import State
from reference.releases import Release, release_rules

COMPILER_HELP = (
    "`installed`, a release such as 3.12.0 (made into a cached environment), an IREE build tree, "
    "an iree-opt, or a Python interpreter that can import iree.compiler."
)

_NEWEST = "999.0"
"""Stands for a build that is no release: the newest rules are its own."""

_BEFORE_PLACEMENT = "3.11"
"""The rules of a tool that has no placement pass."""

BARE_CHECKS = tuple(name for name in CHECKS if name != "run")
"""What a compiler without bindings can be asked: `run` compiles in-process."""

Command = TypeVar("Command", bound=Callable[..., object])


class MachineError(click.ClickException):
    """crosscurrent itself or its machine failed."""

    exit_code = 3


class InputError(click.ClickException):
    """The call or the input is wrong."""

    exit_code = 2


def exit_code(tally: Tally) -> int:
    """The exit code of a run that came to its end. What we did wrong is told before what was found:
    more might have been found there."""
    if tally.mishaps:
        return MachineError.exit_code
    states = tally.states()
    return 1 if states[State.NEW] or states[State.MODEL] or tally.invalid else 0


class OutFolder(click.ParamType[Path]):
    """A folder to write into: there already, or one that can be made."""

    name = "directory"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        """The folder's path; a file anywhere on the way to it is the caller's mistake."""
        path = Path(str(value))
        way = path.absolute()
        nearest = next(one for one in (way, *way.parents) if one.exists())
        if not nearest.is_dir():
            self.fail(f"{path}: {nearest} is a file, not a folder", param, ctx)
        return path


class OutFile(click.ParamType[Path]):
    """A file to write, in a folder that is there."""

    name = "file"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        """The file's path."""
        path = Path(str(value))
        if path.is_dir():
            self.fail(f"{path} is a folder; name a file in it", param, ctx)
        if not path.absolute().parent.is_dir():
            self.fail(f"there is no folder {path.absolute().parent}", param, ctx)
        return path


@dataclass(frozen=True, slots=True)
class CompilerUnderTest:
    """A compiler that answered: where it is and what it says it is."""

    spec: CompilerSpec
    version: str
    revision: str | None
    release: Release
    """The rules of that release, or the nearest the model has."""
    known: bool
    """Whether the model knows that release."""

    @property
    def unanswerable(self) -> tuple[str, ...]:
        """The checks that this compiler cannot be asked."""
        if self.spec.bare is None:
            return ()
        return tuple(name for name in CHECKS if name not in BARE_CHECKS)

    def facts(self) -> dict[str, str | None]:
        """As the JSON outputs name it."""
        return {"spec": self.spec.spec, "release": self.version, "revision": self.revision}


def compiler_option(command: Command) -> Command:
    """`--compiler SPEC`."""
    return click.option(
        "--compiler",
        default="installed",
        show_default=True,
        metavar="SPEC",
        help=COMPILER_HELP,
    )(command)


def rules_option(command: Command) -> Command:
    """`--rules RELEASE`."""
    return click.option(
        "--rules",
        default=None,
        metavar="RELEASE",
        help="The release whose rules the model follows; by default the compiler's own.",
    )(command)


def checks_option(command: Command) -> Command:
    """`--checks a,b`."""
    return click.option(
        "--checks",
        default=",".join(CHECKS),
        show_default=True,
        metavar="a,b,…",
        callback=lambda _context, _option, value: parse_checks(value),
        help="Which promises to check.",
    )(command)


def profile_option(default: str) -> Callable[[Command], Command]:
    """`--profile NAME`."""
    return click.option(
        "--profile",
        default=default,
        show_default=True,
        type=click.Choice(sorted(PROFILES)),
        callback=lambda _context, _option, value: PROFILES[value],
        help="Which kind of programs.",
    )


def parse_checks(text: str) -> tuple[str, ...]:
    """The names in a comma-separated list, in the registry's order."""
    wanted = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in CHECKS]
    if unknown or not wanted:
        raise click.BadParameter(
            f"{', '.join(unknown) or 'nothing'} is not a check; there are {', '.join(CHECKS)}"
        )
    return tuple(name for name in CHECKS if name in wanted)


def open_compiler(spec: str) -> CompilerUnderTest:
    """The compiler that `spec` names, after it said what it is. Raises InputError, MachineError."""
    try:
        resolved = resolve(spec)
    except CompilerSpecError as error:
        raise InputError(str(error)) from None
    except CompilerSetupError as error:
        raise MachineError(str(error)) from None
    settings = ExaminerSettings.of(resolved)
    assumed = None
    try:
        if resolved.bare is not None:
            found = probe(resolved.bare, resolved.interpreter)
            version, revision = found.release, found.revision
            assumed = None if found.places else _BEFORE_PLACEMENT
            if found.unread:
                click.echo(f"{spec}: {found.unread}", err=True)
        else:
            with CompilerProcess(resolved.interpreter, environment=settings.variables) as process:
                version, revision = process.release, process.revision
    except CompilerUnavailable as error:
        kind = MachineError if spec == "installed" else InputError
        raise kind(str(error)) from None
    if not settings.stock.available:
        click.echo(
            f"no iree-opt in {resolved.tools}: no finding can be confirmed, "
            "so none will be called the compiler's",
            err=True,
        )
    release, known = release_rules(version or assumed or _NEWEST)
    known = known and version is not None
    return CompilerUnderTest(resolved, version or "unknown", revision, release, known)


def answerable(compiler: CompilerUnderTest, checks: tuple[str, ...]) -> tuple[str, ...]:
    """The checks among these that the compiler can be asked; says which it cannot.

    Raises InputError where none is left.
    """
    left_out = [name for name in checks if name in compiler.unanswerable]
    if not left_out:
        return checks
    told = f"{compiler.spec.spec} has no Python bindings: not asked are {', '.join(left_out)}"
    if len(left_out) == len(checks):
        raise InputError(told)
    click.echo(told, err=True)
    return tuple(name for name in checks if name not in left_out)


def choose_rules(compiler: CompilerUnderTest, rules: str | None) -> Release:
    """The model's rules: the compiler's own, or those of the release the user named."""
    if rules is None:
        if not compiler.known:
            click.echo(
                f"IREE {compiler.version} is not known to the model: "
                f"using the rules of {compiler.release.version}",
                err=True,
            )
        return compiler.release
    try:
        release, known = release_rules(rules)
    except ValueError as error:
        raise InputError(f"--rules: {error}") from None
    if not known:
        raise InputError(f"--rules: the model does not know IREE {rules}")
    return release
