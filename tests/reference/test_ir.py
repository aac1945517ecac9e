"""The program IR itself: what an op remembers, and copies of ops with other fields."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import replace

import pytest
from samples import SAMPLES

from gen.profiles import profile_named
from gen.programs import program as generated
from reference.analysis import analyze
from reference.analysis.solver import Element
from reference.folding import canonicalize
from reference.folding.nodes import Node
from reference.ir import Operation, Program, changed
from reference.releases import Release, release_rules
from reference.scheduling.schedule import schedule_execution
from reference.types import Value

RULES, _ = release_rules("3.13")

each_op = pytest.mark.parametrize(
    "operation", SAMPLES.values(), ids=[kind.__name__ for kind in SAMPLES]
)


@each_op
def test_what_an_op_takes_is_its_inputs_however_often_it_is_asked(operation: Operation) -> None:
    fresh = replace(operation)
    assert fresh.taken == fresh.inputs
    assert fresh.taken is fresh.taken
    assert fresh.operands == tuple(item for item in fresh.inputs if isinstance(item, Value))
    assert fresh.operands is fresh.operands


@each_op
def test_what_an_op_remembers_is_part_of_no_comparison_and_no_copy(operation: Operation) -> None:
    asked, fresh = replace(operation), replace(operation)
    assert asked.operands is not None
    assert (asked, repr(asked)) == (fresh, repr(fresh))
    assert changed(asked, {"identity": "other"}).taken == replace(asked, identity="other").inputs


@each_op
def test_a_changed_op_is_what_replace_makes_of_it(operation: Operation) -> None:
    made = changed(operation, {"identity": "other"})
    assert type(made) is type(operation)
    assert made == replace(operation, identity="other")
    assert made.identity == "other"
    assert operation.identity != "other"


@pytest.mark.parametrize(
    ("run", "kind"),
    [(canonicalize, Node), (schedule_execution, Node), (analyze, Element)],
    ids=["canonicalize", "schedule-execution", "analyze"],
)
def test_the_model_leaves_nothing_to_the_collector(
    run: Callable[[Program, Release], object], kind: type[object]
) -> None:
    """Nodes in circles would cost more to collect than to make."""
    program = generated(1, 0, profile_named("well-formed"))
    gc.collect()
    gc.disable()
    try:
        run(program, RULES)
        left = sum(isinstance(item, kind) for item in gc.get_objects())
    finally:
        gc.enable()
    assert not left
