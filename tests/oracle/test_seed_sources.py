"""Seeds on their way into a run: read, mutated, put to the compiler, and taken up again."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from samples import Ask, canonical, installed_rules

from benchmarks.kills import TOOL, told
from gen.mutation.material import Features
from gen.profiles import PROFILES
from oracle.campaigns.lane import Lane, LaneSettings
from oracle.campaigns.run_folder import JOURNAL, run_paths
from oracle.campaigns.source import Generated, Seeded, Written, fingerprint
from oracle.checks import CHECKS
from oracle.checks.base import Subject
from oracle.commands.fuzz import fuzz as fuzz_command
from oracle.examination import Examination
from oracle.examiner import Examiner, ExaminerSettings
from oracle.premerge.lane import may_be_asked
from oracle.premerge.programs import Offered, alternating, generated
from oracle.premerge.side import Prepared
from oracle.reading.reader import read_program
from oracle.reading.structure import first_difference
from oracle.seeds.given import given
from oracle.seeds.offering import as_they_are, mutants
from oracle.seeds.owed import owed
from oracle.seeds.reading import read_seeds
from oracle.seeds.seeds import GivenText, Seeds
from oracle.verdict import Fault, Judgement, Verdict
from reference.ir import Program
from reference.text import print_program
from reference.verifier.problems import Level

SENT = """\
util.global private @device_a : !hal.device
util.global private @device_b : !hal.device

// CHECK-LABEL: @sent
util.func private @sent(%source: !stream.resource<transient>, %size: index) -> !hal.buffer_view {
  // CHECK: stream.async.transfer
  %0 = stream.async.transfer %source : !stream.resource<transient>{%size} from(#hal.device.affinity<@device_b>) -> to(#hal.device.affinity<@device_a>) !stream.resource<external>{%size}
  %1 = stream.tensor.export on(#hal.device.affinity<@device_a>) %0 : tensor<?xi8>{%size} in !stream.resource<external>{%size} -> !hal.buffer_view
  util.return %1 : !hal.buffer_view
}

util.func public @alone() -> !stream.resource<external> {
  %c16 = arith.constant 16 : index
  %c0_i32 = arith.constant 0 : i32
  %0 = stream.async.splat on(#hal.device.affinity<@device_a>) %c0_i32 : i32 -> !stream.resource<external>{%c16}
  util.return %0 : !stream.resource<external>
}
"""  # noqa: E501
UNKNOWN = """\
util.func public @unknown(%size: index) -> !stream.resource<transient> {
  %0 = "stream.async.collective_of_tomorrow"(%size) : (index) -> !stream.resource<transient>
  util.return %0 : !stream.resource<transient>
}
"""
NOT_KNOWN = """\
util.func private @reduced(%value: !stream.resource<transient>, %size: index, %channel: !stream.channel, %count: index) -> !stream.resource<transient> {
  %c0 = arith.constant 0 : index
  %0 = stream.async.collective<all_gather : f32>[%count] channel(%channel) %value[%c0 to %size for %size], %value[%c0 to %size for %size] : !stream.resource<transient>{%size} -> %value as !stream.resource<transient>{%size}
  util.return %0 : !stream.resource<transient>
}
"""  # noqa: E501
WRONG_HOME = SENT.replace("from(#hal.device.affinity<@device_b>)", "").replace(
    "%0 = stream.async.transfer %source : !stream.resource<transient>{%size} ",
    "%x = stream.async.clone on(#hal.device.affinity<@device_b>) %source : "
    "!stream.resource<transient>{%size} -> !stream.resource<transient>{%size}\n  "
    "%0 = stream.async.transfer %x : !stream.resource<transient>{%size} "
    "from(#hal.device.affinity<@device_a>) ",
)
SCHEDULED = """\
util.func public @late(%value: !stream.resource<transient>, %size: index) -> !stream.timepoint {
  %t = stream.cmd.execute with(%value as %inner: !stream.resource<transient>{%size}) {
    stream.cmd.discard %inner[%size for %size] : !stream.resource<transient>{%size}
  } => !stream.timepoint
  util.return %t : !stream.timepoint
}
"""
RULES = installed_rules()
FEATURES = Features(RULES.explicit_transfer_execution, RULES.async_cast)
HERE = ExaminerSettings(Path(sys.executable))


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    with Examiner(HERE, []) as one:
        yield one


def read(examiner: Examiner, *texts: str) -> Seeds:
    some = [GivenText(f"f{place}.mlir", text) for place, text in enumerate(texts)]
    return read_seeds(examiner, some, RULES, FEATURES)


def source(seeds: Seeds, seed: int = 1) -> Seeded:
    return Seeded(Generated(seed, PROFILES["placement"]), seeds, FEATURES)


def test_functions_that_have_nothing_to_do_with_each_other_are_seeds_apart(
    examiner: Examiner,
) -> None:
    seeds = read(examiner, SENT)
    assert seeds.functions == ("sent", "alone")
    assert [one.level for one in seeds.programs] == [Level.WELL_FORMED] * 2
    assert [one.name for one in seeds.parents] == ["f0.mlir:1 @sent", "f0.mlir:1 @alone"]
    assert seeds.notes == ()
    chosen = replace(GivenText("g.mlir", SENT, 7), functions=("alone",))
    (one,) = read_seeds(examiner, [chosen], RULES, FEATURES).programs
    assert (one.name, one.functions) == ("g.mlir:7 @alone", ("alone",))


@pytest.mark.parametrize(
    ("text", "level", "why"),
    [
        (NOT_KNOWN, None, "the model does not know all of it; stream.async.collective"),
        (WRONG_HOME, Level.VALID, "not well-formed"),
        (SCHEDULED, None, "scheduled already"),
    ],
)
def test_what_is_not_mutated_is_run_as_it_is_and_named(
    examiner: Examiner, text: str, level: Level | None, why: str
) -> None:
    seeds = read(examiner, text)
    seed = next(one for one in seeds.programs if one.level is level)
    assert seed.text.strip()
    notes = [note for note in seeds.notes if "only as it is: f0.mlir:1 @" in note]
    assert any(why in note for note in notes), seeds.notes
    assert not any(parent.name == seed.name for parent in seeds.parents)
    # Where there is nothing to mutate, what is generated takes its place.
    alone = source(Seeds((seed,), ()))
    assert sum(isinstance(alone.program(number), Written) for number in range(20)) == 1
    texts = [
        print_program(made)
        for number in range(20)
        if isinstance(made := alone.program(number), Program)
    ]
    assert len(set(texts)) == 19


def test_what_is_no_program_is_named(examiner: Examiner) -> None:
    seeds = read(examiner, UNKNOWN, SENT)
    assert seeds.functions == ("sent", "alone")
    (note,) = seeds.notes
    assert "not a seed: f0.mlir:1" in note
    assert "collective_of_tomorrow" in note


def test_half_of_the_programs_of_each_shard_are_made_of_seeds(examiner: Examiner) -> None:
    seeds = read(examiner, SENT)
    one = source(seeds)
    made = [one.program(number) for number in range(240)]
    ours = [isinstance(item, Written) for item in made]
    assert sum(ours) == 120
    for shards in (2, 3, 4):
        for shard in range(shards):
            part = ours[shard::shards]
            assert 0.38 <= sum(part) / len(part) <= 0.62
    # As they are, once each and first.
    first = [item.text for item in made if isinstance(item, Written)][:2]
    assert first == [seed.text for seed in seeds.programs]
    others = [print_program(item) for item in made if isinstance(item, Program)]
    wanted = Generated(1, PROFILES["placement"])
    assert others == [print_program(wanted.program(number)) for number in range(len(others))]


def test_the_fingerprint_tells_seeds_apart(examiner: Examiner) -> None:
    seeds = read(examiner, SENT)
    marks = {
        fingerprint(source(seeds)),
        fingerprint(source(seeds, 2)),
        fingerprint(source(replace(seeds, parents=seeds.parents[:1]))),
        fingerprint(source(seeds).generated),
        fingerprint(replace(source(seeds), features=Features(False, False))),
    }
    assert len(marks) == 5
    assert fingerprint(source(read(examiner, SENT))) in marks


def test_every_mutant_reads_back(examiner: Examiner, ask: Ask) -> None:
    one = source(read(examiner, SENT))
    for number in range(60):
        made = one.mutant(number)
        assert made.program is not None
        assert made.text.startswith("// mutant of f0.mlir:1 @")
        (raw,) = ask(made.text, ["read"])
        found = read_program(raw)
        assert found.complete
        assert first_difference(made.program, found.program) is None, made.text
        assert canonical(print_program(found.program)) == canonical(print_program(made.program))


def test_a_lane_holds_against_the_compiler_what_it_owes(tmp_path: Path) -> None:
    checks = ("accept", "placement", "value")
    asked = [CHECKS[name] for name in checks]
    with Examiner(HERE, asked) as examiner:
        seeds = read(examiner, NOT_KNOWN, SENT)
        settings = LaneSettings(
            seed=1, profile=PROFILES["placement"], checks=checks, examiner=HERE, rules=RULES,
            compiler=RULES, in_flight=tmp_path / "in-flight", seeds=seeds,
        )  # fmt: skip
        result = Lane(settings, examiner).run(range(16))
    assert result.programs == 16
    assert result.invalid == 0
    assert result.unsupported == 1
    note = json.loads(next((tmp_path / "in-flight").glob("*.json")).read_text())
    texts = {text: int(number) for number, text in note["programs"].items()}
    places = {texts[one.text] for one in seeds.programs}
    assert places.isdisjoint(one.index for one in result.occurrences)


def fault(check: str, verdict: Verdict) -> Fault:
    return Fault(
        check=check, verdict=verdict, stage="refine-usage", shape=(check, verdict.value),
        message="", expected="", actual="", stock_arguments=(),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("level", "kept"),
    [
        (Level.WELL_FORMED, {"placement", "accept", "roundtrip", "value", "run"}),
        (Level.VALID, {"placement", "accept", "roundtrip", "run"}),
        (None, {"placement"}),
    ],
)
def test_what_is_owed_depends_on_the_level(level: Level | None, kept: set[str]) -> None:
    faults = {
        "placement": fault("placement", Verdict.DISAGREE),
        "accept": fault("accept", Verdict.REJECTED),
        "roundtrip": fault("roundtrip", Verdict.BROKEN_CONTRACT),
        "value": fault("value", Verdict.WRONG_VALUE),
        "run": fault("run", Verdict.CRASH),
    }
    judgements = tuple(Judgement(name, (one,)) for name, one in faults.items())
    subject = Subject("", None, RULES, RULES, False)
    sound = Judgement("fold")
    whole = Examination(subject, (*judgements, sound), tuple(faults.values()))
    told = owed(whole, level, "accept")
    assert {one.check for one in told.faults} == kept
    assert {one.check for one in told.judgements} == {*kept, "fold"}


def test_a_given_program_that_the_compiler_does_not_take_is_named() -> None:
    spoiled = Examination(Subject("", None, RULES, RULES, False), (), (), "no such range")
    told = owed(spoiled, None, "accept")
    assert told.invalid is None
    assert "no such range" in told.unsupported[0]
    assert [one.verdict for one in told.judgements] == [Verdict.UNSUPPORTED]
    # What we made is to be valid.
    assert owed(spoiled, Level.WELL_FORMED, "accept") is spoiled


def test_offered_to_two_compilers(examiner: Examiner) -> None:
    seeds = read(examiner, SENT)
    some = alternating(as_they_are(seeds), generated(1, PROFILES["placement"]))
    offered = [next(some) for _ in range(5)]
    assert [one.given for one in offered] == [True, False, True, False, False]
    assert offered[0].name == "seed f0.mlir:1 @sent"
    made = mutants(seeds, 1, FEATURES)
    first = [next(made) for _ in range(6)]
    again = mutants(seeds, 1, FEATURES)
    assert [next(again) for _ in first] == first
    assert first[0].name.startswith("mutant #0 of f0.mlir:1 @")
    assert all(one.program is not None for one in first)
    assert list(mutants(replace(seeds, parents=()), 1, FEATURES)) == []


def test_what_a_user_gave_is_asked_unless_it_is_known_to_be_wrong() -> None:
    """Of two compilers' sides, one may know a program better than the other."""
    empty = Program((), ())
    known, unknown = (Subject("", one, RULES, RULES, False) for one in (empty, None))

    def asked(given: bool, subject: Subject | None, *levels: Level | None) -> bool:
        one, other = (Prepared(subject, level) for level in levels)
        return may_be_asked(Offered("", "", given=given), one, other)

    assert asked(False, known, None, Level.WELL_FORMED)
    assert not asked(False, known, Level.VALID, Level.VALID)
    assert asked(True, known, Level.VALID, Level.VALID)
    assert asked(True, unknown, None, None)
    assert not asked(False, unknown, None, None)
    assert not asked(True, known, None, None)


FUZZ = (
    "--no-reduce", "--profile", "placement", "--checks", "placement", "--rules", "3.11",
    "--workers", "1",
)  # fmt: skip
"""A run of the rules of a release before the compiler's, so that there is something to find."""


@pytest.fixture
def seed_file(tmp_path: Path) -> Path:
    file = tmp_path / "seeds.mlir"
    file.write_text(SENT)
    return file


def test_a_run_keeps_its_seeds(tmp_path: Path, seed_file: Path) -> None:
    """The file may be gone by the time the run goes on; other seeds contradict it."""
    whole = tmp_path / "whole"
    first = [str(TOOL), "fuzz", *FUZZ, "--seeds", str(seed_file), "--examples", "16"]
    first += ["--out", str(whole)]
    done = subprocess.run(first, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "seeds: 2 programs of 2 functions, 2 of them to be mutated" in done.stderr
    cut = tmp_path / "cut"
    shutil.copytree(whole, cut)
    (run,) = run_paths(cut)
    settings: dict[str, Any] = json.loads((run / "settings.json").read_text())
    assert [one["text"] for one in settings["seeds"]] == [SENT]
    lines = (run / JOURNAL).read_bytes().splitlines(keepends=True)
    (run / JOURNAL).write_bytes(b"".join(lines[:1]))
    (run / "summary.json").unlink()
    other = tmp_path / "other.mlir"
    other.write_text(SENT.replace("@alone", "@renamed"))
    asked = CliRunner().invoke(fuzz_command, ["--resume", str(cut), "--seeds", str(other)])
    assert asked.exit_code == 2
    assert "other seeds" in asked.output
    seed_file.unlink()
    again = [str(TOOL), "fuzz", "--no-reduce", "--resume", str(cut), "--workers", "1"]
    done = subprocess.run(again, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert told(cut) == told(whole)


def test_seeds_that_cannot_be_taken(tmp_path: Path) -> None:
    file = tmp_path / "none.mlir"
    file.write_text(UNKNOWN)
    asked = CliRunner().invoke(
        fuzz_command, ["--seeds", str(file), "--examples", "8", "--out", str(tmp_path / "out")]
    )
    assert asked.exit_code == 2
    assert "there is no program" in asked.output
    assert "collective_of_tomorrow" in asked.output
    assert not (tmp_path / "out").exists()
    assert given([file]).texts[0].text == UNKNOWN
