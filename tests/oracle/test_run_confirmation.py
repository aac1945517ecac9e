"""A tool's run is a finding only where it ends as the finding did."""

from __future__ import annotations

import pytest

from oracle.checks.run_confirmation import RUN, shows, status
from oracle.compiling.stock import HANG, StockRun
from oracle.signature import WHEN_CONCURRENT
from oracle.verdict import Fault, Verdict

OUT_OF_RANGE = "buffer.c:403: OUT_OF_RANGE; attempted to access an address off the end"
DENIED = "buffer.c:219: PERMISSION_DENIED; requested usage was not specified"


def fault(verdict: Verdict, *shape: str, stage: str = RUN) -> Fault:
    return Fault(
        check="run", verdict=verdict, stage=stage, shape=shape, message="", expected="", actual="",
        stock_arguments=(),
    )  # fmt: skip


def ran(outcome: str, diagnostics: str = "") -> StockRun:
    return StockRun("iree-run-module", outcome, "", diagnostics)


CRASH = fault(Verdict.CRASH, "crash", "SIGSEGV")
ENDLESS = fault(Verdict.HANG, "hang")
ERROR = fault(Verdict.BROKEN_CONTRACT, "error", "out-of-range")


@pytest.mark.parametrize(
    ("of", "run", "expected"),
    [
        (CRASH, ran("SIGSEGV"), True),
        (CRASH, ran("SIGABRT"), True),
        (CRASH, ran("exit 1", OUT_OF_RANGE), False),
        (CRASH, ran(HANG), False),
        (ENDLESS, ran(HANG), True),
        (ENDLESS, ran("SIGSEGV"), False),
        (ERROR, ran("exit 1", OUT_OF_RANGE), True),
        (ERROR, ran("exit 1", DENIED), False),
        (ERROR, ran("SIGSEGV"), False),
        (ERROR, ran("exit 0"), False),
        (fault(Verdict.REJECTED, "no", stage="iree-compile"), ran("exit 1", OUT_OF_RANGE), False),
        (fault(Verdict.BROKEN_CONTRACT, WHEN_CONCURRENT), ran("SIGSEGV"), True),
    ],
)
def test_what_a_run_shows(of: Fault, run: StockRun, expected: bool) -> None:
    assert shows(of, run, ()) == expected


def test_a_status_is_the_runtime_s_name_for_it() -> None:
    assert status(OUT_OF_RANGE) == "out-of-range"
    assert status("it ended") == "unnamed"
