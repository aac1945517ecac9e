"""`python -m benchmarks.planted`: faults between two passes are noticed, sound programs are not."""

from __future__ import annotations

import importlib.metadata
from collections import Counter

import pytest
from click.testing import CliRunner

from benchmarks.planted.command import main
from benchmarks.planted.edits import (
    changed,
    host_not_waiting,
    moved_up,
    replaced,
    shifted,
    swapped,
    swapped_operands,
    without,
)
from benchmarks.planted.faults import FAULTS

RELEASE = importlib.metadata.version("iree-base-compiler")

TEXT = """\
    %0 = stream.async.clone %arg0 : !r{%c16} -> !r{%c16}
    %1 = stream.async.fill %c7, %0[%c4 to %c8 for %c4] : i8 -> %0 as !r{%c16}
    %2 = stream.async.dispatch @ex::@a_r_n(%1[%c0 to %c16 for %c16], %0[%c0 to %c16 for %c16])
    %3 = stream.timepoint.await %tp => %2 : !r{%c16}
    util.return %3, %1 : !r, !r
"""


def test_there_are_enough_faults_each_once() -> None:
    assert len(FAULTS) >= 40
    assert Counter(one.name for one in FAULTS).most_common(1)[0][1] == 1
    by = Counter(one.checks[0] for one in FAULTS)
    assert min(by[check] for check in ("value", "hazard", "access")) >= 5


def test_edits_are_made_at_the_chosen_place() -> None:
    lines = TEXT.splitlines()
    assert replaced("c16", "c8")(TEXT, -1) == "c8".join(TEXT.rsplit("c16", 1))
    assert replaced("nothing", "")(TEXT, 0) is None
    gone = without("async.clone")(TEXT, 0)
    assert gone is not None
    assert "%0" not in gone
    assert gone.count("%arg0[") == 2
    assert without("async.slice")(TEXT, 0) is None
    up = swapped("async.clone", "util.return")(TEXT, 0)
    assert up is not None
    assert up.splitlines()[0] == lines[4]
    assert changed("util.return", "%3, %1", "%1, %3")(TEXT, 3) == TEXT.replace(
        "%3, %1", "%1, %3"
    ).rstrip("\n")
    assert changed("util.return", "%9", "%1")(TEXT, 0) is None


def test_ranges_are_shifted_within_bounds() -> None:
    edited = shifted("async.fill")(TEXT, 0)
    assert edited is not None
    assert "%planted_start = arith.constant 0 : index" in edited
    assert "%planted_end = arith.constant 4 : index" in edited
    assert "%0[%planted_start to %planted_end for %c4]" in edited
    assert shifted("async.clone")(TEXT, 0) is None


def test_operands_change_places_and_the_host_does_not_wait() -> None:
    edited = swapped_operands("util.return", r"return (%\w+), (%\w+)")(TEXT, 0)
    assert edited is not None
    assert edited.splitlines()[-1].strip() == "util.return %1, %3 : !r, !r"
    waiting = host_not_waiting(TEXT, 0)
    assert waiting is not None
    assert "await" not in waiting
    assert "util.return %2, %1" in waiting
    assert moved_up("async.clone")(TEXT, 0) is None


@pytest.mark.skipif(RELEASE < "3.12", reason="the edits are made behind passes of 3.12")
def test_each_check_notices_its_faults() -> None:
    names = ("another-word-filled", "await-left-out", "region-on-no-device", "flush-left-out")
    asked = [word for name in names for word in ("--fault", name)]
    result = CliRunner().invoke(main, [*asked, "--times", "1", "--most", "30"])
    assert result.exit_code == 0, result.output
    assert "4 of 4 faults noticed by the right check, 4 of them within 10 s" in result.stdout


@pytest.mark.skipif(RELEASE < "3.12", reason="the corpus is about later releases")
def test_programs_as_they_are_raise_no_alarm() -> None:
    result = CliRunner().invoke(main, ["--no-alarm", "20"])
    assert result.exit_code == 0, result.output
    assert "20 programs in" in result.stdout
    assert ": 0 alarms under 0 signatures" in result.stdout
