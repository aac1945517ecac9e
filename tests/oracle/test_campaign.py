"""Campaigns with compilers, and lanes, that die at the worst moment."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import multiprocessing
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ALL_COMPLETED, Future
from concurrent.futures import wait as real_wait
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from test_run_folder import SETTINGS_OF_A_RUN
from unlucky_worker import FOLDER, IN_FLIGHT, KINDS, Fate, fate

from gen.profiles import PROFILES
from gen.programs import program
from oracle.campaigns import campaign as campaign_module
from oracle.campaigns import findings as findings_module
from oracle.campaigns.campaign import Campaign, CampaignSettings
from oracle.campaigns.counts import BlockRecord, FindingCount, Tally
from oracle.campaigns.lane import LaneSettings, for_release
from oracle.campaigns.run_folder import RunFolder
from oracle.campaigns.summary import summary
from oracle.examiner import ExaminerSettings
from oracle.verdict import State
from reference.releases import release_rules
from reference.text import print_program

HERE = Path(__file__).parent
RELEASE = release_rules(importlib.metadata.version("iree-base-compiler"))[0]
PROFILE = for_release(PROFILES["placement"], RELEASE)
EXAMPLES = 112
SIGNALS = {"abort": "crash/SIGABRT", "segv": "crash/SIGSEGV", "kill": "crash/SIGKILL"}
STAGE = "accept/place-transfer-executions"

pytestmark = pytest.mark.skipif(
    not RELEASE.explicit_transfer_execution, reason="this release has no placement pass"
)


def is_instructive(ahead: dict[int, Fate]) -> bool:
    """Whether programs misbehave in every way, always and once, without too many slow hangs."""
    kinds = Counter(ahead.values())
    every = {Fate(kind, always) for kind in KINDS for always in (True, False)}
    return set(kinds) == every and kinds["hang", True] + kinds["hang", False] <= 3


def fates_of(seed: int) -> dict[int, Fate]:
    """Which programs of a campaign misbehave, and how."""
    found = {index: fate(print_program(program(seed, index, PROFILE))) for index in range(EXAMPLES)}
    return {index: one for index, one in found.items() if one is not None}


@cache
def instructive_seed() -> int:
    """Found, not written down: a change of the generator gives every program another text."""
    return next(seed for seed in range(1, 500) if is_instructive(fates_of(seed)))


def text_of(index: int) -> str:
    return print_program(program(instructive_seed(), index, PROFILE))


def signature(kind: str) -> str:
    return f"{STAGE}/{SIGNALS.get(kind, f'crash/{kind}' if kind == 'memory' else kind)}"


def settings(
    out: Path,
    workers: int = 2,
    worker: str | None = None,
    examples: int = EXAMPLES,
    shard: tuple[int, int] = (1, 1),
) -> CampaignSettings:
    examiner = ExaminerSettings(
        Path(sys.executable),
        timeout=60.0 if worker is None else 2.5,
        memory_limit=700 << 20,
        worker_script=None if worker is None else HERE / worker,
    )
    lane = LaneSettings(
        seed=instructive_seed(), profile=PROFILE, checks=("placement",), examiner=examiner,
        rules=RELEASE, compiler=RELEASE, in_flight=out / "in-flight" / "run",
    )  # fmt: skip
    return CampaignSettings(
        lane=lane, out=out, workers=workers, examples=examples, seconds=None, shard=shard, facts={}
    )


def run(
    asked: CampaignSettings,
    progress: Callable[[Tally], None] = lambda tally: None,
    known: dict[str, str] | None = None,
) -> Tally:
    return Campaign(asked, known or {}).run(progress)


def folder_of(asked: CampaignSettings, one: FindingCount) -> Path:
    return asked.out / "findings" / one.finding.folder


def lying_programs(
    monkeypatch: pytest.MonkeyPatch, folder: Path, asked: CampaignSettings
) -> CampaignSettings:
    """The settings, with the folder that the unlucky worker remembers in."""
    folder.mkdir()
    monkeypatch.setenv(FOLDER, str(folder))
    monkeypatch.setenv(IN_FLIGHT, str(asked.lane.in_flight))
    return asked


def told(tally: Tally, asked: CampaignSettings) -> dict[str, Any]:
    """What must not depend on chance: the summary without times and paths."""
    found: Any = summary(tally, asked.facts, asked.lane.checks, asked.out)
    for key in ("seconds", "programs_per_second", "seconds_to_first_verdict", "restarts", "curve"):
        del found[key]
    for finding in found["findings"]:
        del finding["program"]
    return dict(found)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_compiler_that_dies_in_every_way_costs_no_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    asked = settings(tmp_path / "out", workers, "unlucky_worker.py")
    lying_programs(monkeypatch, tmp_path / "seen", asked)
    tally = run(asked)
    ahead = fates_of(instructive_seed())
    always = {index: one for index, one in ahead.items() if one.always}

    assert tally.programs == EXAMPLES
    assert tally.invalid == 0
    expected = Counter(signature(one.kind) for one in always.values())
    assert {name: one.count for name, one in tally.findings.items()} == expected
    for name, one in tally.findings.items():
        indices = [i for i, item in always.items() if signature(item.kind) == name]
        assert one.first_seed == min(indices)
        written = (folder_of(asked, one) / "program.mlir").read_text()
        assert written in [text_of(index) for index in indices]
        # Stock tools do not die of these programs.
        assert one.finding.state is State.MODEL
    assert tally.verdicts["placement", "agree"] == EXAMPLES - len(always)
    assert tally.unanswered["placement"] == len(always)
    lost = Counter("hang" if one.kind == "hang" else "crash" for one in ahead.values())
    # Each is lost once at least; one that always fails is asked again, unless that was seen before.
    assert tally.restarts["crash"] >= lost["crash"]
    assert tally.restarts["hang"] >= lost["hang"]
    assert tally.restarts["lane"] == 0
    assert (tmp_path / "seen" / "on-disk").exists()
    assert not (tmp_path / "seen" / "not-on-disk").exists()
    assert not asked.lane.in_flight.exists()


def test_the_number_of_workers_and_shards_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the rules of before the placement pass, so that there is something to find."""
    before = release_rules("3.11")[0]

    def with_findings(name: str, workers: int, shard: tuple[int, int] = (1, 1)) -> dict[str, Any]:
        asked = settings(tmp_path / name, workers, examples=48, shard=shard)
        asked = replace(asked, lane=replace(asked.lane, rules=before))
        return told(run(asked), asked)

    whole = with_findings("one", 1)
    assert whole["findings"]
    assert whole["checks"]["placement"]["disagree"] > 0
    for finding in whole["findings"]:
        assert finding["state"] == "new", "stock tools show it too"
    assert with_findings("two", 2) == whole

    parts = [with_findings(f"part{ordinal}", 1, (ordinal, 2)) for ordinal in (1, 2)]
    assert sum(part["programs"] for part in parts) == whole["programs"] == 48
    agreed = [part["checks"]["placement"]["agree"] for part in parts]
    assert sum(agreed) == whole["checks"]["placement"]["agree"]
    counts: Counter[str] = Counter()
    first: dict[str, int] = {}
    for part in parts:
        for one in part["findings"]:
            counts[one["signature"]] += one["count"]
            first[one["signature"]] = min(
                one["first_seed"], first.get(one["signature"], one["first_seed"])
            )
    assert counts == {one["signature"]: one["count"] for one in whole["findings"]}
    assert first == {one["signature"]: one["first_seed"] for one in whole["findings"]}


def test_a_known_finding_is_known(tmp_path: Path) -> None:
    asked = settings(tmp_path / "first", examples=16)
    asked = replace(asked, lane=replace(asked.lane, rules=release_rules("3.11")[0]))
    name, *_ = run(asked).findings
    tally = run(replace(asked, out=tmp_path / "second"), known={name: "an-entry"})
    assert tally.findings[name].finding.state is State.KNOWN
    (described,) = (one for one in told(tally, asked)["findings"] if one["signature"] == name)
    assert (described["state"], described["known"]) == ("known", "an-entry")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    asked = settings(tmp_path_factory.mktemp("undisturbed"))
    return told(run(asked), asked)


def kill_a_lane() -> None:
    """Ends one of this process's lanes as the machine's out-of-memory killer would."""
    for victim in multiprocessing.active_children():
        assert victim.pid is not None
        # One that confirms a finding may have come to its end meanwhile.
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim.pid, signal.SIGKILL)
            return
    pytest.fail("no lane is left to end")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_lane_that_dies_is_replaced_and_its_blocks_run_again(
    tmp_path: Path, undisturbed: dict[str, Any], workers: int
) -> None:
    calls = 0

    def progress(tally: Tally) -> None:
        nonlocal calls
        calls += 1
        if calls in (1, 3):
            # Early: a death is noticed only while there are blocks to be dealt.
            kill_a_lane()

    asked = settings(tmp_path, workers)
    tally = run(asked, progress)
    assert tally.restarts["lane"] == 2
    assert told(tally, asked) == undisturbed


def test_no_block_is_lost_when_a_lane_dies_while_others_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: dict[str, Any]
) -> None:
    """A lane dies after a block came back and before the next one is dealt."""
    killed = False

    def wait(
        futures: Iterable[Future[object]], timeout: float | None = None, return_when: str = "?"
    ) -> tuple[object, object]:
        nonlocal killed
        done, rest = real_wait(list(futures), timeout, return_when)
        if done and not killed:
            killed = True
            kill_a_lane()
            real_wait(list(futures), return_when=ALL_COMPLETED, timeout=60)
            time.sleep(0.2)
        return done, rest

    monkeypatch.setattr(campaign_module, "wait", wait)
    asked = settings(tmp_path)
    tally = run(asked)
    assert tally.restarts["lane"] == 1
    assert told(tally, asked) == undisturbed


def test_blocks_may_come_back_in_any_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lane gives a signature's program once: with its first block, not the one counted first.

    The program that is kept is the one that `first_seed` names.
    """

    def wait(
        futures: Iterable[Future[object]], timeout: float | None = None, return_when: str = "?"
    ) -> tuple[object, object]:
        every = list(futures)
        real_wait(every, return_when=ALL_COMPLETED)
        return list(reversed(every)), set()

    monkeypatch.setattr(campaign_module, "wait", wait)
    asked = settings(tmp_path, 2, examples=64)
    asked = replace(asked, lane=replace(asked.lane, rules=release_rules("3.11")[0]))
    tally = run(asked)
    assert tally.findings
    for one in tally.findings.values():
        assert (folder_of(asked, one) / "program.mlir").read_text() == text_of(one.first_seed)
        verdict = json.loads((folder_of(asked, one) / "verdict.json").read_text())
        assert verdict["first_seed"] == one.first_seed


def test_an_interrupt_keeps_what_was_found(tmp_path: Path) -> None:
    def progress(tally: Tally) -> None:
        if tally.programs >= 16:
            raise KeyboardInterrupt

    asked = settings(tmp_path)
    asked = replace(asked, lane=replace(asked.lane, rules=release_rules("3.11")[0]))
    tally = run(asked, progress)
    assert tally.interrupted
    assert 16 <= tally.programs < EXAMPLES
    for one in tally.findings.values():
        assert (folder_of(asked, one) / "program.mlir").exists()
    deadline = time.monotonic() + 10
    while multiprocessing.active_children():
        assert time.monotonic() < deadline, "a lane is left behind"
        time.sleep(0.05)


def test_an_interrupt_while_a_finding_is_written_does_not_lose_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C comes when it likes: what is on disk and what is counted stay the same findings."""
    real, written = findings_module._write, []

    def write(path: Path, content: str) -> None:
        real(path, content)
        written.append(path)
        if len(written) == 3:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(findings_module, "_write", write)
    asked = settings(tmp_path)
    asked = replace(asked, lane=replace(asked.lane, rules=release_rules("3.11")[0]))
    tally = run(asked)
    assert tally.interrupted
    folders = set((tmp_path / "findings").iterdir())
    assert folders
    assert folders == {folder_of(asked, one) for one in tally.findings.values()}


def test_a_campaign_ends_when_its_time_is_over(tmp_path: Path) -> None:
    asked = replace(settings(tmp_path), examples=None, seconds=3.0)
    tally = run(asked)
    assert tally.programs > 0
    assert 3.0 <= tally.seconds < 30
    assert not tally.interrupted


def test_time_that_earlier_sessions_used_is_used(tmp_path: Path) -> None:
    begun = RunFolder.create(tmp_path, SETTINGS_OF_A_RUN)
    begun.journal.block(BlockRecord(programs=8, at=5.0))
    begun.close()
    again = RunFolder.reopen(begun.path)
    asked = replace(settings(tmp_path), examples=None, seconds=5.0)
    tally = Campaign(asked, {}, again).run(lambda told: None)
    again.close()
    assert (tally.programs, tally.seconds) == (8, 5.0)
