"""The size by which the compiler knows a resource where those who use it say different ones."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flow import COUNT, blocks, count_loop, ended, execute, fork, func, go, module, opaque
from samples import installed_rules
from straight import A, B, clone, dispatch, resource

from oracle.compiling import stages
from oracle.reading.reader import read_program
from oracle.reading.structure import first_difference
from reference.folding.sizes import find_size
from reference.folding.working import Body
from reference.ir import Program, Region
from reference.ops import Clone, Concurrent, Execute, HostScalar, ResourceSize
from reference.scheduling.concurrency import schedule_concurrency
from reference.scheduling.schedule import schedule_execution
from reference.text import print_program
from reference.types import INDEX, Literal, Value

RULES = installed_rules()
LARGE = Value("large", INDEX)
SOURCE = resource("source")


def of(size, value: Value = SOURCE) -> Value:
    return replace(value, size=size)


def copied(name: str, size, value: Value = SOURCE, on=A) -> Clone:
    """An op that says `size` of the value that it takes."""
    made = clone(name, of(size, value), on)
    return replace(made, result=of(size, made.result))


def sum_of(name: str, *numbers) -> HostScalar:
    return HostScalar(
        identity=name, name="arith.addi", arguments=numbers,
        outputs=(Value(name, INDEX),),
        attributes=(("overflowFlags", "#arith.overflow<none>"),),
    )  # fmt: skip


def size_before(body: Region, value: Value, identity: str):
    made = Body(body)
    place = next(node for node in made.region.walk() if node.current.identity == identity)
    return find_size(made, value, place)


# What is asked.


def test_the_maker_knows_best():
    made = dispatch("made", SOURCE, on=A)
    (result,) = made.outputs
    body = func("f", [SOURCE], made, copied("used", 32, result), ended()).body
    assert size_before(body, result, "return") == 16
    assert size_before(body, result, "made") == 16


def test_of_what_nobody_makes_the_latest_user_that_says_one_is_heard():
    first, second = copied("first", 32), copied("second", 64)
    host = opaque("host", of(8))
    body = func("f", [SOURCE], first, second, host, ended()).body
    assert size_before(body, SOURCE, "first") == 64


def test_a_size_that_is_not_there_yet_is_passed_over():
    total = sum_of("total", COUNT, Literal(4, INDEX))
    late = total.results[0]
    body = func("f", [SOURCE], copied("first", 32), total, copied("last", late), ended()).body
    assert size_before(body, SOURCE, "first") == 32
    assert size_before(body, SOURCE, "total") == 32
    assert size_before(body, SOURCE, "last") == late


def test_a_size_from_a_region_is_not_there_outside_of_it():
    total = sum_of("total", COUNT, Literal(4, INDEX))
    turn = resource("turn")
    inside = [total, copied("inside", total.results[0]), copied("turned", 8, turn)]
    loop = count_loop("loop", [SOURCE], [turn], inside, [turn])
    body = func("f", [SOURCE], copied("first", COUNT), loop, ended()).body
    assert size_before(body, SOURCE, "loop") == COUNT
    assert size_before(body, SOURCE, "turned") == total.results[0]


def test_a_size_of_a_block_is_there_where_all_ways_lead_through_it():
    total = sum_of("total", COUNT, Literal(4, INDEX))
    size = total.results[0]
    body = blocks(
        ((SOURCE, COUNT, resource("choice")), (fork((1, ()), (2, ())),)),
        ((), (total, go(3))),
        ((), (copied("beside", COUNT), ended())),
        ((), (copied("below", size), ended())),
    )
    assert size_before(body, SOURCE, "below") == size
    assert size_before(body, SOURCE, "beside") == COUNT


def test_what_asks_for_the_size_knows_it():
    asked = ResourceSize(identity="asked", source=SOURCE, result=Value("asked", INDEX))
    body = func("f", [SOURCE], asked, opaque("host", SOURCE), ended()).body
    assert size_before(body, SOURCE, "return") == asked.result
    assert size_before(body, SOURCE, "asked") is None


# What the scheduling passes make of it.


def sizes(whole: Program, kind) -> list[list[object]]:
    return [
        [value.size for value in item.captures]
        for item in whole.operations()
        if isinstance(item, kind)
    ]


def different() -> Program:
    """A value whose users say three sizes; the last is not there yet where two regions stand."""
    total = sum_of("total", LARGE, Literal(4, INDEX))
    late = total.results[0]
    first, second = copied("first", LARGE), copied("second", 32, on=B)
    last = copied("last", late)
    seen = opaque("seen", second.result)
    operations = (first, second, seen, total, last, ended(first, last))
    return module(func("f", [LARGE, SOURCE], *operations))


def test_a_region_captures_with_the_size_that_the_compiler_knows():
    """To the last region the region before is a user too, and the latest."""
    assert sizes(schedule_execution(different(), RULES), Execute) == [[32], [32], [32]]


def waved() -> Program:
    argument = resource("argument")
    one, two = copied("one", 32, argument), copied("two", LARGE, argument)
    three, four = dispatch("three", of(64, argument), on=None), dispatch("four", one, on=None)
    last = dispatch("last", two, three, four, on=None)
    inside = [*(replace(item, affinity=None) for item in (one, two)), three, four, last]
    done = execute("done", [of(32)], [argument], inside, [last], A)
    return module(func("f", [LARGE, SOURCE], done, ended(*done.outputs)))


def test_a_wave_captures_with_the_size_that_the_latest_user_says():
    assert sizes(schedule_concurrency(waved()), Concurrent) == [[64, 32]]


@pytest.mark.parametrize(
    ("whole", "stage", "model"),
    [
        (different(), stages.SCHEDULE_EXECUTION, lambda read: schedule_execution(read, RULES)),
        (waved(), stages.SCHEDULE_CONCURRENCY, schedule_concurrency),
    ],
    ids=["regions", "waves"],
)
def test_the_compiler_knows_the_same_sizes(ask, whole, stage, model):
    before, _, after = ask(print_program(whole), ["read"], ["run", stage.pipeline], ["read"])
    read = read_program(before), read_program(after)
    assert read[0].unsupported == read[1].unsupported == ()
    assert first_difference(model(read[0].program), read[1].program) is None
