"""Programs that Hypothesis draws: valid, and quick to shrink to the least that shows something."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import pytest
from hypothesis import HealthCheck, find, given, settings

from gen.profiles import Profile, profile_named
from gen.strategies import programs
from reference.ir import Operation, Program
from reference.ops import (
    Branch,
    Call,
    Fill,
    GlobalLoad,
    If,
    TimepointImport,
    Transfer,
    While,
)
from reference.verifier import level_of, verify

SINGLE_OPS = replace(
    profile_named("small"), name="single ops", motifs=(), stream_share=0.0, maximum=5
)


def smallest(
    wanted: Callable[[Program], bool], seed: int, profile: Profile = SINGLE_OPS
) -> list[str]:
    """The ops, without dialect, of the program that Hypothesis ends at."""
    found = find(
        programs(profile),
        wanted,
        settings=settings(
            max_examples=2000,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
        random=random.Random(seed),
    )
    return [op.mnemonic.rpartition(".")[2] for op in found.operations()]


def has(wanted: Callable[[Operation], bool]) -> Callable[[Program], bool]:
    """Whether some op of a program is wanted."""
    return lambda made: any(map(wanted, made.operations()))


def crosses(op: Operation) -> bool:
    return isinstance(op, Transfer) and op.source_affinity != op.target_affinity


def runs_elsewhere(op: Operation) -> bool:
    return isinstance(op, Transfer) and op.explicit_affinity not in (
        None,
        op.source_affinity,
        op.target_affinity,
    )


def writes_in_place(op: Operation) -> bool:
    return isinstance(op, Fill)


WANTED = {
    "crosses": has(crosses),
    "runs elsewhere": has(runs_elsewhere),
    "writes in place": has(writes_in_place),
}


def searched(name: str) -> list[str]:
    """The least program that shows what `WANTED` calls `name`."""
    return smallest(WANTED[name], seed=7)


@pytest.mark.parametrize(
    ("name", "ops"),
    [
        ("crosses", ["splat", "transfer", "return"]),
        ("runs elsewhere", ["splat", "transfer", "return"]),
        # Both are of the least size: an alloca that is written whole, and a splat.
        ("writes in place", [["splat", "fill", "return"], ["alloca", "fill", "return"]]),
    ],
)
def test_programs_shrink_to_the_least_that_shows_it(
    name: str, ops: list[str] | list[list[str]]
) -> None:
    # In a process of its own: Hypothesis also draws constants of the modules that are imported, so
    # that a search would depend on the tests before it.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        found = pool.submit(searched, name).result()
    assert found == ops or found in ops


@pytest.mark.parametrize(
    ("construct", "kind", "ops"),
    [
        ("if", If, ["splat", "if", "yield", "yield", "return"]),
        (
            "while",
            While,
            ["splat", "while", "scalar", "condition", "scalar", "yield", "return"],
        ),
        ("loop", Branch, ["splat", "br", "scalar", "cond_br", "scalar", "br", "return"]),
        ("call", Call, ["splat", "call", "return", "return"]),
        (
            "global_load",
            GlobalLoad,
            ["constant", "transfer", "store", "return", "load", "return"],
        ),
        ("fence", TimepointImport, ["import", "import", "await", "return"]),
    ],
)
def test_constructs_shrink_to_the_least_of_their_kind(
    construct: str, kind: type[Operation], ops: list[str]
) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(least_with, construct, kind).result() == ops


def least_with(construct: str, kind: type[Operation]) -> list[str]:
    """The ops of the smallest program with an op of that kind, where there is that construct."""
    profile = replace(SINGLE_OPS, constructs=((construct, 6.0),))

    def wanted(op: Operation) -> bool:
        return isinstance(op, kind) and not (
            isinstance(op, GlobalLoad) and not op.result.is_resource
        )

    return smallest(has(wanted), 7, profile)


def test_nothing_wanted_shrinks_to_nothing() -> None:
    assert smallest(lambda made: True, seed=7) == ["return"]


@pytest.mark.parametrize("name", ["default", "stream", "placement", "nightly"])
def test_drawn_programs_are_valid(name: str) -> None:
    @settings(max_examples=40, database=None, derandomize=True, deadline=None)
    @given(programs(profile_named(name)))
    def check(made: Program) -> None:
        assert level_of(verify(made)) is not None

    check()
