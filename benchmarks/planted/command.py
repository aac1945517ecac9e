"""`python -m benchmarks.planted`: is every planted fault noticed, and nothing else?"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import click

from benchmarks.planted.faults import FAULTS, PlantedFault
from benchmarks.planted.planting import Plant, PlantingCompiler
from benchmarks.processor import processor_seconds
from gen.profiles import PROFILES
from gen.programs import program
from oracle.campaigns.lane import for_release, subject_of
from oracle.checks import CHECKS
from oracle.checks.base import Subject
from oracle.commands.options import compiler_option, open_compiler
from oracle.corpus import default_corpus, load_known
from oracle.examiner import Examiner, ExaminerError, ExaminerSettings, start_process

CHECKED = ("value", "hazard", "access")
LIMIT = 10.0
"""Seconds of one core within which a fault should be noticed."""


@dataclass(slots=True)
class Outcome:
    """What became of one fault: in how many programs it could be planted, in how many one of its
    checks noticed, and seconds of one core and programs until one first did."""

    fault: PlantedFault
    tried: int = 0
    planted: int = 0
    caught: int = 0
    first_seconds: float | None = None
    first_programs: int | None = None
    by: Counter[str] = field(default_factory=Counter)


@click.command()
@compiler_option
@click.option("--seed", default=1, show_default=True)
@click.option(
    "--profile", default="well-formed", show_default=True, type=click.Choice(sorted(PROFILES))
)
@click.option(
    "--times", default=3, show_default=True, help="How often each fault is to be noticed."
)
@click.option("--most", default=300, show_default=True, help="Programs that are tried for a fault.")
@click.option("--fault", "names", multiple=True, help="Only these faults.")
@click.option("--no-alarm", default=0, help="Instead, look at so many programs as they are.")
def main(
    compiler: str,
    seed: int,
    profile: str,
    times: int,
    most: int,
    names: tuple[str, ...],
    no_alarm: int,
) -> None:
    """Plants each fault in generated programs until it is noticed, and prints a table."""
    under_test = open_compiler(compiler)
    settings = ExaminerSettings.of(under_test.spec)
    plant = Plant()
    checks = [CHECKS[name] for name in CHECKED]
    chosen = for_release(PROFILES[profile], under_test.release)

    def subjects() -> Iterator[Subject]:
        number = 0
        while True:
            made = program(seed, number, chosen)
            yield subject_of(made, under_test.release, under_test.release)
            number += 1

    with Examiner(
        settings, checks, lambda one, flags: PlantingCompiler(start_process(one, flags), plant)
    ) as examiner:
        if no_alarm:
            known = set(load_known(default_corpus(), under_test.version))
            sys.exit(_no_alarm(examiner, subjects(), no_alarm, known))
        wanted = [fault for fault in FAULTS if not names or fault.name in names]
        sound = Sound(examiner, subjects())
        outcomes = [_hunt(plant, fault, sound, times, most) for fault in wanted]
    sys.exit(_told(outcomes))


@dataclass(slots=True)
class Sound:
    """Programs in which the checks find nothing while nothing is planted: a fault of the compiler's
    own would hide ours, or be taken for it. Found when they are asked for, and kept."""

    examiner: Examiner
    subjects: Iterator[Subject]
    kept: list[Subject] = field(default_factory=list)

    def __getitem__(self, place: int) -> Subject:
        while len(self.kept) <= place:
            subject = next(self.subjects)
            try:
                (examination,) = self.examiner.examine([subject])
            except ExaminerError:
                continue
            if examination.invalid is None and not examination.faults:
                self.kept.append(subject)
        return self.kept[place]


def _hunt(plant: Plant, fault: PlantedFault, sound: Sound, times: int, most: int) -> Outcome:
    """Plants one fault in program after program."""
    outcome = Outcome(fault)
    spent = 0.0
    while outcome.caught < times and outcome.tried < most:
        subject = sound[outcome.tried]
        outcome.tried += 1
        plant.fault, plant.choice, plant.planted = fault, outcome.tried, 0
        started = processor_seconds()
        try:
            (examination,) = sound.examiner.examine([subject])
        except ExaminerError as error:
            click.echo(f"{fault.name}: {error}", err=True)
            continue
        finally:
            plant.fault = None
        if not plant.planted:
            continue
        spent += processor_seconds() - started
        outcome.planted += 1
        found = {one.check for one in examination.faults}
        outcome.by.update(found)
        if found.intersection(fault.checks):
            outcome.caught += 1
            if outcome.first_seconds is None:
                outcome.first_seconds, outcome.first_programs = spent, outcome.planted
    when = "never" if outcome.first_seconds is None else f"{outcome.first_seconds:.2f} s"
    click.echo(f"{fault.name}: {outcome.caught} of {outcome.planted}, {when}", err=True)
    return outcome


def _told(outcomes: list[Outcome]) -> int:
    click.echo(f"{'fault':38} {'by':14} {'noticed':>9} {'first':>8} {'programs':>8}  also by")
    for one in outcomes:
        first = "never" if one.first_seconds is None else f"{one.first_seconds:.2f} s"
        others = sorted(set(one.by) - set(one.fault.checks))
        click.echo(
            f"{one.fault.name:38} {'/'.join(one.fault.checks):14} "
            f"{one.caught:4d}/{one.planted:<4d} {first:>8} {one.first_programs or 0:8d}  "
            f"{', '.join(others)}"
        )
    caught = [one for one in outcomes if one.caught]
    soon = [one for one in caught if (one.first_seconds or 0.0) <= LIMIT]
    click.echo(
        f"{len(caught)} of {len(outcomes)} faults noticed by the right check, "
        f"{len(soon)} of them within {LIMIT:g} s"
    )
    return 0 if len(caught) == len(outcomes) and len(soon) >= 0.95 * len(outcomes) else 1


def _no_alarm(examiner: Examiner, subjects: Iterator[Subject], count: int, known: set[str]) -> int:
    """Looks at programs as the compiler leaves them: whatever is found must be a known cause."""
    told: Counter[str] = Counter()
    programs: dict[str, str] = {}
    started = time.monotonic()
    for number in range(count):
        subject = next(subjects)
        (examination,) = examiner.examine([subject])
        for fault in examination.faults:
            told[fault.signature] += 1
            programs.setdefault(fault.signature, f"program {number}")
    alarms = {name: times for name, times in told.items() if name not in known}
    for name, times in sorted(alarms.items()):
        click.echo(f"{times:5d} {name} ({programs[name]})")
    seconds = time.monotonic() - started
    click.echo(
        f"{count} programs in {seconds:.0f} s: {sum(alarms.values())} alarms under "
        f"{len(alarms)} signatures; {sum(told.values()) - sum(alarms.values())} known causes"
    )
    return 1 if alarms else 0
