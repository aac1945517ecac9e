"""Going on with a run: which one, with which settings, and what may not be asked of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from gen.profiles import PROFILES, Profile
from oracle.campaigns.journal import JournalBusyError, JournalError
from oracle.campaigns.run_folder import NoRunError, RunFolder, unfinished
from oracle.campaigns.run_settings import RunSettings
from oracle.checks import CHECKS
from oracle.commands.options import CompilerUnderTest, InputError, MachineError, open_compiler
from oracle.commands.seeding import seed_texts
from oracle.corpus import CorpusError, explained_by, load_known
from oracle.version import VERSION

_FREE = frozenset(
    {"workers", "json_file", "resume", "reduce", "reduce_seconds", "scheduler", "seeds_tree"}
)
"""Options that change nothing in what a run finds."""

_OTHERS = {"corpus": "another corpus", "seeds": "other seeds"}
"""How options are said whose values are long."""


def known_by_signature(corpus: Path, release: str | None) -> dict[str, str]:
    """The corpus entries by signature that explain a finding on `release`. Raises InputError."""
    try:
        known = explained_by(load_known(corpus, release))
    except CorpusError as error:
        raise InputError(str(error)) from None
    return {name: entry.identity for name, entry in known.items()}


def reopen(folder: Path, context: click.Context) -> RunFolder:
    """The run that `--resume FOLDER` names; nobody else may work at it from now on.

    Raises InputError where there is none, where it is under way, and for options of the call that
    contradict it; MachineError where its state is damaged.
    """
    try:
        path = unfinished(folder)
        run = RunFolder.reopen(path)
    except NoRunError as error:
        raise InputError(str(error)) from None
    except JournalBusyError as error:
        raise InputError(f"{error}: wait for it, or end it first") from None
    except JournalError as error:
        raise MachineError(str(error)) from None
    except OSError as error:
        raise MachineError(f"cannot go on with {folder}: {error}") from None
    try:
        against = _contradictions(context, run)
    except BaseException:
        run.close()
        raise
    if against:
        run.close()
        listed = "".join(f"\n  {line}" for line in against)
        raise InputError(f"{path} was begun with other settings, which --resume keeps:{listed}")
    return run


def compiler_of(settings: RunSettings) -> CompilerUnderTest:
    """The compiler that the run began with. Raises InputError where it is another by now."""
    begun = settings.compiler
    compiler = open_compiler(str(begun["spec"]))
    now = compiler.facts()
    if (now["release"], now["revision"]) != (begun["release"], begun["revision"]):
        raise InputError(
            f"the run was begun with IREE {begun['release']} ({begun['revision']}), "
            f"--compiler {begun['spec']} is now {now['release']} ({now['revision']})"
        )
    return compiler


def check_version(settings: RunSettings, programs: str | None) -> None:
    """That this crosscurrent asks what the run's asked. `programs` is the fingerprint of the
    programs that it makes, None before that is known. Raises InputError."""
    unknown = [name for name in settings.checks if name not in CHECKS]
    if settings.profile not in PROFILES:
        unknown.append(f"profile {settings.profile}")
    if unknown:
        raise InputError(
            f"this crosscurrent ({VERSION}) does not know {', '.join(unknown)}: "
            f"go on with the one that began the run ({settings.crosscurrent})"
        )
    if programs is not None and programs != settings.programs:
        raise InputError(
            f"this crosscurrent ({VERSION}) makes other programs from the same seed than the one "
            f"that began the run ({settings.crosscurrent}): go on with that, or begin a new run"
        )


def _contradictions(context: click.Context, run: RunFolder) -> list[str]:
    """The options given that say something else than the run's settings."""
    given: Mapping[str, Any] = context.params
    settings = run.settings
    release = settings.compiler.get("release")
    ours = {
        "seed": settings.seed,
        "examples": settings.examples,
        "seconds": settings.seconds,
        "checks": settings.checks,
        "profile": settings.profile,
        "compiler": settings.compiler.get("spec"),
        "rules": settings.rules,
        "shard": settings.shard,
        "timeout": settings.timeout,
        "memory": settings.memory,
        "corpus": dict(settings.known),
        "seeds": settings.seeds,
        "out": run.out.resolve(),
    }
    told: dict[str, Callable[[Any], object]] = {
        "profile": lambda value: value.name,
        "corpus": lambda corpus: known_by_signature(corpus, release),
        "seeds": lambda paths: seed_texts(paths, given["seeds_tree"]).texts,
        "out": Path.resolve,
    }
    found = []
    for option in context.command.params:
        name = str(option.name)
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE or name in _FREE:
            continue
        asked = told[name](given[name]) if name in told else given[name]
        if asked != ours[name]:
            kept = _OTHERS.get(name) or _shown(ours[name])
            found.append(f"{option.opts[0]} {_shown(given[name])}: the run has {kept}")
    return found


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        pair = len(value) == 2 and all(isinstance(one, int) for one in value)
        return ("/" if pair else ",").join(map(str, value))
    return value.name if isinstance(value, Profile) else str(value)
