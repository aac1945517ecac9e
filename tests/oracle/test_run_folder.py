"""The folder of a run: whatever moment it was left at, what it says is true or refused."""

from __future__ import annotations

import resource
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracle.campaigns.counts import BlockRecord, Cause, Oddity, Tally
from oracle.campaigns.journal import (
    Journal,
    JournalBusyError,
    JournalError,
    is_under_way,
    line_of,
    read_journal,
)
from oracle.campaigns.run_folder import (
    JOURNAL,
    SETTINGS,
    NoRunError,
    RunFolder,
    settings_of,
    unfinished,
)
from oracle.campaigns.run_settings import RunSettings
from oracle.verdict import State

SETTINGS_OF_A_RUN = RunSettings(
    crosscurrent="1", programs="abc", seed=3, profile="placement", checks=("placement", "accept"),
    compiler={"spec": "installed", "release": "3.13.0", "revision": "r"}, rules="3.13",
    examples=100, seconds=None, shard=(1, 1), timeout=5.0, memory=4096, block=8,
    known={"a/b": "entry"},
)  # fmt: skip
CAUSE = Cause("s", "accept", "crash", "fold", State.NEW, "resolved", 3, None, "s")
ODD = Oddity("unsupported", "value", "an-op")

words = st.text(max_size=6)
counters = st.dictionaries(words, st.integers(1, 9), max_size=3).map(Counter)


@st.composite
def records(draw: st.DrawFn) -> list[BlockRecord]:
    """Blocks of a run, in order: what is counted was found before."""
    found: set[str] = set()
    blocks = []
    for block in range(draw(st.integers(1, 4))):
        signatures = draw(st.lists(words, max_size=3))
        fresh = [one for one in dict.fromkeys(signatures) if one not in found]
        found.update(fresh)
        blocks.append(
            BlockRecord(
                programs=draw(st.integers(0, 8)),
                invalid=draw(st.integers(0, 8)),
                unsupported=draw(st.integers(0, 8)),
                verdicts=draw(
                    st.dictionaries(st.tuples(words, words), st.integers(1, 9), max_size=3).map(
                        Counter
                    )
                ),
                unanswered=draw(counters),
                restarts=draw(counters),
                cells=draw(counters),
                block=block,
                at=float(block),
                found=[(one, draw(st.integers(0, 99))) for one in signatures],
                causes=[replace(CAUSE, signature=one) for one in fresh],
                odd=[(ODD, 7)],
                kept=[] if block else [(ODD, "unsupported/an-op")],
            )
        )
    return blocks


@given(records())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_journal_gives_back_what_it_took(tmp_path: Path, blocks: list[BlockRecord]) -> None:
    path = tmp_path / "journal"
    path.unlink(missing_ok=True)
    journal = Journal(path)
    for record in blocks[:2]:
        journal.block(record)
    journal.close()
    # Another session goes on, and knows the names of cells that the first one wrote.
    journal = Journal(path)
    assert journal.earlier.records == blocks[:2]
    for record in blocks[2:]:
        journal.block(record)
    journal.end()
    journal.close()
    contents = read_journal(path)
    assert contents.records == blocks
    assert contents.complete
    ours, theirs = Tally(), Tally()
    for one, other in zip(blocks, contents.records, strict=True):
        ours.take(one)
        theirs.take(other)
    assert ours == theirs


def a_journal(path: Path, blocks: int = 3) -> list[bytes]:
    journal = Journal(path)
    for block in range(blocks):
        journal.block(BlockRecord(programs=8, block=block, cells=Counter({f"cell{block}": 1})))
    journal.close()
    return path.read_bytes().splitlines(keepends=True)


def test_a_line_torn_anywhere_is_dropped_and_written_again(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    lines = a_journal(path)
    whole = b"".join(lines)
    for length in range(len(lines[2])):
        path.write_bytes(whole[: len(whole) - len(lines[2]) + length])
        assert [one.block for one in read_journal(path).records] == [0, 1]
        journal = Journal(path)
        journal.block(BlockRecord(programs=8, block=2, cells=Counter({"cell2": 1})))
        journal.close()
        assert path.read_bytes() == whole


@pytest.mark.parametrize("at", [0, 9, 20, -2])
def test_damage_before_the_end_is_named_and_left_alone(tmp_path: Path, at: int) -> None:
    path = tmp_path / "journal"
    lines = a_journal(path)
    damaged = bytearray(lines[1])
    damaged[at] ^= 1
    path.write_bytes(lines[0] + bytes(damaged) + lines[2])
    before = path.read_bytes()
    with pytest.raises(JournalError, match=r"line 2 of 3"):
        Journal(path)
    assert path.read_bytes() == before


def test_a_line_that_says_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_bytes(line_of({"block": 0}))
    with pytest.raises(JournalError, match="line 1"):
        read_journal(path)


def test_blocks_that_are_missing_or_not_found_before_are_refused(tmp_path: Path) -> None:
    for records in (
        [BlockRecord(block=0), BlockRecord(block=2)],
        [BlockRecord(block=0), BlockRecord(block=0)],
        [BlockRecord(block=0, found=[("never seen", 1)])],
    ):
        run = RunFolder.create(tmp_path, SETTINGS_OF_A_RUN)
        for record in records:
            run.journal.block(record)
        run.close()
        again = RunFolder.reopen(run.path)
        with pytest.raises(JournalError, match="damaged"):
            again.earlier()
        again.close()


@contextmanager
def full_disk(bytes_left: int) -> Iterator[None]:
    """No file may grow beyond that."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_left, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_the_journal_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    a_journal(path)
    before = path.read_bytes()
    journal = Journal(path)
    record = BlockRecord(programs=8, block=3, cells=Counter({"fresh": 1}))
    with full_disk(len(before) + 10), pytest.raises(OSError, match="journal"):
        journal.block(record)
    assert path.read_bytes() == before
    journal.block(record)
    journal.close()
    assert read_journal(path).records[-1] == record


def test_one_process_at_a_time(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path, SETTINGS_OF_A_RUN)
    assert is_under_way(run.path / JOURNAL)
    with pytest.raises(JournalBusyError, match="under way"):
        RunFolder.reopen(run.path)
    run.close()
    assert not is_under_way(run.path / JOURNAL)
    RunFolder.reopen(run.path).close()


def test_settings_are_kept_and_damage_is_named(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path, SETTINGS_OF_A_RUN)
    run.close()
    assert settings_of(run.path) == SETTINGS_OF_A_RUN
    file = run.path / SETTINGS
    text = file.read_text()
    for damaged in (
        text[:-40],
        "[]",
        text.replace('"seed"', '"sead"'),
        text.replace("1,", "9,", 1),
    ):
        file.write_text(damaged)
        with pytest.raises(JournalError, match=SETTINGS):
            settings_of(run.path)
        assert file.read_text() == damaged


def test_which_run_is_gone_on_with(tmp_path: Path) -> None:
    with pytest.raises(NoRunError, match="no run"):
        unfinished(tmp_path)
    one, two, three = (RunFolder.create(tmp_path, SETTINGS_OF_A_RUN) for _ in range(3))
    assert len({one.path, two.path, three.path}) == 3
    one.journal.end()
    one.close()
    two.close()
    # The third is under way.
    assert unfinished(tmp_path) == two.path
    three.close()
    with pytest.raises(NoRunError, match="2 unfinished runs") as error:
        unfinished(tmp_path)
    assert str(error.value).split()[-2:] == [str(two.path), str(three.path)]
    assert unfinished(one.path) == one.path
    for run in (two, three):
        again = RunFolder.reopen(run.path)
        again.journal.end()
        again.close()
    with pytest.raises(NoRunError, match="none unfinished"):
        unfinished(tmp_path)


def test_settings_that_differ_are_named() -> None:
    other = replace(
        SETTINGS_OF_A_RUN, seed=4, known={}, shard=(1, 2),
        compiler={"spec": "elsewhere", "release": "3.13.0", "revision": "r"},
    )  # fmt: skip
    told = SETTINGS_OF_A_RUN.differences(other, besides=("shard",))
    assert told == ["seed: 3 and 4", "known: one corpus and another"]
