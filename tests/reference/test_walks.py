"""Walks that begin at numbers, conditions and timepoints: they lead nowhere.

The analysis begins at resources; before 3.12 a `while` could lead it on to any other value.
"""

from __future__ import annotations

from dataclasses import replace

from answers import NEWEST
from flow import (
    CHOICE,
    COUNT,
    REACHED,
    blocks,
    choose,
    count_loop,
    ended,
    execute,
    fork,
    func,
    module,
    region,
    stream_yielded,
    while_loop,
)
from straight import A, resource, splat

from reference.analysis.explorer import Explorer
from reference.analysis.walks import Walks
from reference.types import RESOURCES, Lifetime, Value

S = resource("s")


def uses(program, value):
    """The ops that a walk down from a value visits, and whether it is complete."""
    explorer = Explorer(program)
    visited = []

    def visit(_, node, position):
        visited.append((node.operation.identity, position))
        return True

    complete = Walks(explorer, NEWEST).transitive_uses(explorer.number(0, value), visit)
    return visited, complete


def sources(program, value):
    """The values that a walk up from a value visits, and whether it is complete."""
    explorer = Explorer(program)
    visited = []

    def visit(made, _, __):
        visited.append(explorer.values[made].name)
        return True

    complete = Walks(explorer, NEWEST).defining_ops(explorer.number(0, value), visit)
    return visited, complete


def test_a_condition_decides_and_goes_nowhere():
    asked, turned = resource("asked"), resource("turned")
    chosen = choose("chosen", [], S, [], S)
    looped = while_loop("looped", [S], ([asked], [], [asked]), ([turned], [], [turned]))
    body = blocks(
        ([S, CHOICE], [chosen, looped, fork((1, ()), (1, ()))]),
        ([], [ended()]),
    )
    assert uses(module(func("f", [], body=body)), CHOICE) == (
        [("fork", 0), ("condition", 0), ("chosen", 0)],
        True,
    )


def test_the_bounds_of_a_loop_are_not_what_it_carries():
    turn = resource("turn")
    looped = count_loop("looped", [S], [turn], [], [turn])
    assert uses(module(func("f", [S], looped, ended())), COUNT) == ([("looped", 1)], True)


def test_the_index_of_a_loop_comes_from_nowhere():
    turn = resource("turn")
    looped = count_loop("looped", [S], [turn], [], [turn])
    index = looped.body.blocks[0].arguments[0]
    assert sources(module(func("f", [S], looped, ended())), index) == ([], True)


def test_a_timepoint_that_a_region_waits_for_does_not_enter_it():
    run = replace(execute("run", [S], [resource("taken")], [], [S], A), awaits=REACHED)
    visited, complete = uses(module(func("f", [S], run, ended())), REACHED)
    assert [identity for identity, _ in visited] == ["run"]
    assert complete


def test_a_size_that_a_region_yields_is_not_its_result():
    made = Value("made", RESOURCES[Lifetime.TRANSIENT], COUNT)
    inner = replace(splat("inner", A), result=made)
    run = replace(
        execute("run", [], [], [], [made], A), body=region(inner, stream_yielded(made)), outputs=()
    )
    visited, complete = uses(module(func("f", [], run, ended())), COUNT)
    assert visited == [("stream_yield", 1), ("inner", 1)]
    assert complete
