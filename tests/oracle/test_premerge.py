"""Pre-merge runs: a candidate with one pass edited, and one with none."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from gen.profiles import PROFILES
from oracle.campaigns.lane import for_release
from oracle.compiling.compiler import CompilerProcess
from oracle.examiner import ExaminerSettings
from oracle.premerge.finish import adapted, may_be_chance
from oracle.premerge.lane import BlockResult, Met, Pair, PairSettings
from oracle.premerge.programs import Offered, alternating, features, generated, ranked
from oracle.premerge.side import SideSettings, parses
from oracle.premerge.sorting import Kind
from oracle.premerge.timing import WHOLE, Timings, faster, slower
from reference.releases import Release, release_rules

EDITED = Path(__file__).with_name("edited_worker.py")


@pytest.fixture(scope="module")
def version() -> str:
    pytest.importorskip("iree.compiler")
    with CompilerProcess() as process:
        assert process.release is not None
        return process.release


@pytest.fixture(scope="module")
def programs(version: str) -> list[Offered]:
    profile = for_release(PROFILES["nightly"], release_rules(version)[0])
    return list(islice(ranked(generated(3, profile)), 16))


def pair(version: str, checks: tuple[str, ...], edit: str | None, folder: Path) -> Pair:
    rules, _ = release_rules(version)
    plain = ExaminerSettings(Path(sys.executable), timeout=5.0)
    edited = plain
    if edit is not None:
        edited = ExaminerSettings(
            Path(sys.executable),
            timeout=5.0,
            worker_script=EDITED,
            environment=(("CROSSCURRENT_EDIT", edit),),
        )
    sides = [SideSettings(one, rules, version) for one in (plain, edited)]
    return Pair(PairSettings(sides[0], sides[1], checks, folder))


@pytest.fixture
def opened(tmp_path: Path, version: str) -> Iterator[list[Pair]]:
    pairs: list[Pair] = []
    yield pairs
    for one in pairs:
        one.close()


def differences(result: BlockResult) -> dict[Kind, list[Met]]:
    found: dict[Kind, list[Met]] = {}
    for met in result.met:
        found.setdefault(met.difference.kind, []).append(met)
    return found


@pytest.mark.parametrize(
    ("edit", "check", "start"),
    [
        ("other-pattern", "value", "value/place-transfer-executions/"),
        ("refuses-updates", "accept", "accept/schedule-execution/"),
        ("lost-wait", "hazard", "hazard/"),
    ],
)
def test_a_planted_regression_is_found_and_nothing_else(
    edit: str, check: str, start: str, opened: list[Pair], version: str,
    programs: list[Offered], tmp_path: Path,
) -> None:  # fmt: skip
    if release_rules(version)[0].version == "3.11" and edit == "other-pattern":
        pytest.skip("3.11 has no such pass")
    both = pair(version, tuple(dict.fromkeys(("accept", check))), edit, tmp_path)
    opened.append(both)
    found = differences(both.run(programs))
    # What the edit does where it breaks nothing is a change like any other.
    assert found.keys() <= {Kind.REGRESSED, Kind.BOTH_WRONG, Kind.CHANGED}
    changes = {met.difference.signature for met in found.get(Kind.CHANGED, [])}
    # Ops that may take the constant that `other-pattern` makes another one.
    assert changes <= {f"changed/schedule/operand/{kind}" for kind in ("splat", "fill", "cmpi")}
    first = next(met for met in found[Kind.REGRESSED] if met.difference.signature.startswith(start))
    finished = both.finish(first, time.monotonic() + 180.0)
    assert finished.steady
    assert finished.reduced
    assert finished.ops <= 12
    # The change is in our worker alone: no tool of IREE's has it.
    assert not finished.confirmed


@pytest.mark.parametrize(
    ("end", "steady"), [("kill -SEGV $$", False), ("exit 1", True)], ids=["crash", "refusal"]
)
def test_tools_that_fail_otherwise_do_not_show_that_a_side_is_right(
    end: str, steady: bool, opened: list[Pair], version: str, programs: list[Offered],
    tmp_path: Path,
) -> None:  # fmt: skip
    tool = tmp_path / "tools" / "iree-opt"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\n{end}\n", encoding="utf-8")
    tool.chmod(0o755)
    given = pair(version, ("accept",), "refuses-updates", tmp_path).settings
    failing = replace(given.baseline.examiner, tools=tool.parent)
    baseline = replace(given.baseline, examiner=failing)
    both = Pair(PairSettings(baseline, given.candidate, given.checks, tmp_path))
    opened.append(both)
    first = differences(both.run(programs))[Kind.REGRESSED][0]
    finished = both.finish(first, time.monotonic())
    assert finished.steady == steady
    assert not finished.confirmed
    assert ("SIGSEGV" in finished.note) != steady
    assert finished.baseline is not None
    assert finished.baseline.failure is not None


@pytest.mark.parametrize(
    ("shown", "tries", "chance"),
    [(24, 24, False), (12, 24, False), (11, 24, True), (0, 24, True), (4, 4, True)],
)
def test_what_shows_at_times_on_one_side_may_be_chance(
    shown: int, tries: int, chance: bool
) -> None:
    assert may_be_chance(shown, tries) == chance


def test_the_other_way_round_it_is_fixed(
    opened: list[Pair], version: str, programs: list[Offered], tmp_path: Path
) -> None:
    settings = pair(version, ("accept",), "refuses-updates", tmp_path)
    opened.append(settings)
    given = settings.settings
    exchanged = Pair(PairSettings(given.candidate, given.baseline, given.checks, tmp_path))
    opened.append(exchanged)
    found = differences(exchanged.run(programs))
    assert [met.difference.check for met in found[Kind.FIXED]]
    assert Kind.REGRESSED not in found
    finished = exchanged.finish(found[Kind.FIXED][0], 0.0)
    assert finished.steady
    assert not finished.reduced


def test_another_placement_that_breaks_no_promise_is_a_change(
    opened: list[Pair], version: str, programs: list[Offered], tmp_path: Path
) -> None:
    if release_rules(version)[0].version == "3.11":
        pytest.skip("3.11 has no such pass")
    both = pair(version, ("accept", "placement"), "without-on", tmp_path)
    opened.append(both)
    found = differences(both.run(programs))
    assert found.keys() <= {Kind.CHANGED, Kind.BOTH_WRONG}
    signatures = [met.difference.signature for met in found[Kind.CHANGED]]
    assert any(one.startswith("changed/placement/") for one in signatures)
    shown = found[Kind.CHANGED][0].difference
    assert shown.baseline != shown.candidate


def test_a_compiler_against_itself(
    opened: list[Pair], version: str, programs: list[Offered], tmp_path: Path
) -> None:
    both = pair(version, ("accept", "placement", "schedule", "hazard"), None, tmp_path)
    opened.append(both)
    result = both.run(programs)
    assert {met.difference.kind for met in result.met} <= {Kind.BOTH_WRONG}
    assert result.compared == result.programs == len(programs)
    timings = both.measure(result.sound)
    assert slower(timings) == []
    assert faster(timings) == []


def test_what_a_change_touches_comes_first(
    opened: list[Pair], version: str, programs: list[Offered], tmp_path: Path
) -> None:
    both = pair(version, ("accept",), "refuses-updates", tmp_path)
    opened.append(both)
    differ = both.screen(programs)
    # What another pass refuses before, both refuse.
    assert {one.name for one, other in zip(programs, differ, strict=True) if other} <= {
        one.name for one in programs if "stream.async.update" in one.text
    }
    assert any(differ)
    same = Pair(replace(both.settings, candidate=both.settings.baseline))
    opened.append(same)
    assert not any(same.screen(programs))


def test_a_slower_pass_is_told_by_name(
    opened: list[Pair], version: str, programs: list[Offered], tmp_path: Path
) -> None:
    both = pair(version, ("accept",), "slow-allocation", tmp_path)
    opened.append(both)
    result = both.run(programs)
    assert {met.difference.kind for met in result.met} <= {Kind.BOTH_WRONG}
    timings = both.measure(result.sound * 2)
    found = {one.stage for one in slower(timings)}
    assert {"schedule-allocation"} <= found <= {"schedule-allocation", WHOLE}
    assert faster(timings) == []


def test_noise_is_not_slowness() -> None:
    import numpy as np

    random = np.random.default_rng(5)
    timings = Timings()
    for launch in range(3):
        for _ in range(40):
            base = 1e-3 * float(random.lognormal(0.0, 0.5))
            turns = base * random.lognormal(0.0, 0.3, 4)
            timings.turns[launch, "a pass"].append(tuple(map(float, turns)))
    assert slower(timings) == []
    assert faster(timings) == []


def test_one_pair_of_processes_is_no_proof() -> None:
    timings = Timings()
    for launch, factor in enumerate((1.5, 1.0, 1.5)):
        for number in range(40):
            base = 1e-3 * (1 + number / 10)
            turns = (base, base * factor, base * factor, base)
            timings.turns[launch, "a pass"].append(turns)
    assert slower(timings) == []


def test_the_first_programs_have_more_in_them(version: str) -> None:
    profile = for_release(PROFILES["nightly"], release_rules(version)[0])
    source = list(islice(generated(1, profile), 60))
    order = list(ranked(iter(source)))
    assert sorted(one.name for one in order) == sorted(one.name for one in source)
    assert order == list(ranked(iter(source)))

    def met(some: list[Offered]) -> int:
        found = [features(one.program.operations()) for one in some if one.program is not None]
        return len(frozenset().union(*found))

    def size(some: list[Offered]) -> int:
        return sum(len(list(one.program.operations())) for one in some if one.program is not None)

    # Not more in a program, but more for what it costs.
    assert met(order[:12]) / size(order[:12]) > met(source[:12]) / size(source[:12])


def test_sources_take_turns() -> None:
    one, other = (iter([Offered(f"{name}{i}", "") for i in range(n)]) for name, n in
                  (("a", 1), ("b", 3)))  # fmt: skip
    assert [each.name for each in alternating(one, other)] == ["a0", "b0", "b1", "b2"]


def test_what_a_release_cannot_parse(version: str) -> None:
    newest, _ = release_rules("999.0")
    oldest: Release = release_rules("3.11")[0]
    made = [one.program for one in islice(generated(1, PROFILES["placement"]), 20)]
    assert all(parses(program, newest) for program in made)
    assert not all(parses(program, oldest) for program in made)
    assert parses(None, newest) is None


def test_an_option_for_another_release() -> None:
    place, schedule = "iree-stream-place-transfer-executions", "iree-stream-schedule-execution"
    nest = ",".join(f"{op}({schedule})" for op in ("func.func", "util.initializer", "util.func"))
    newer = f"--pass-pipeline=builtin.module(canonicalize,{place},{nest})"
    older = f"--pass-pipeline=builtin.module(canonicalize,{nest})"
    assert adapted(newer, "3.12.0", "3.11.0") == older
    assert adapted(older, "3.11.0", "3.12.0") == newer
    assert adapted(newer, "3.12.0", "3.13.0") == newer
