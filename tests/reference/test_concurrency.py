"""Waves: which ops of a region run at the same time, and what becomes of them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from flow import choose, concurrent, ended, execute, func, module, stream_yielded
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import installed_rules
from straight import (
    SIZE,
    TRANSIENT,
    A,
    B,
    barrier,
    clone,
    dispatch,
    resource,
    splat,
    transfer,
    update,
    value_of,
)

from gen.profiles import PROFILES
from gen.programs import program as random_program
from oracle.compiling import stages
from oracle.reading.reader import read_program
from oracle.reading.structure import first_difference
from reference.ir import Program, UnsupportedOperationError, walk
from reference.ops import Alloca, Concurrent, Constant, Copy, Execute, Fill, Slice
from reference.ops.assembly import Range
from reference.scheduling.concurrency import schedule_concurrency
from reference.scheduling.hazards import Access, accesses, have_hazard
from reference.scheduling.partition_fault import ScheduleRefusedError
from reference.scheduling.schedule import schedule_execution
from reference.scheduling.waves import DEFAULT_FAVOR, Favor, region_waves
from reference.text import print_program
from reference.types import I8, RESOURCES, Literal, Value

RULES = installed_rules()
SOURCE = resource("source")
MEMORY, SPEED = Favor.MIN_PEAK_MEMORY, Favor.MAX_CONCURRENCY


def filled(name, target, start, end):
    value = value_of(target)
    return Fill(
        identity=name, pattern=Literal(1, I8), target=value,
        span=Range(start, end, end - start), result=Value(name, value.type, SIZE), affinity=None,
    )  # fmt: skip


def sliced(name, source, start, end):
    result = Value(name, RESOURCES[TRANSIENT], end - start)
    return Slice(
        identity=name, source=value_of(source), start=start, end=end, result=result, affinity=None
    )


def work(name, *sources, ties=(None,)):
    return dispatch(name, *sources, on=None, ties=ties)


def waves(*operations, returned=(), favor=MEMORY):
    found = region_waves((*operations, stream_yielded(*returned)), favor)
    return [" ".join(wave.operations) for wave in found]


def running(*operations, returned=(), favor=MEMORY):
    """The ops of a region once its waves are made: the members of a wave in brackets."""
    argument = resource("argument")
    done = execute("done", [SOURCE], [argument], operations, returned, A)
    whole = module(func("f", [SOURCE], done, ended(*done.outputs)))
    (found,) = schedule_concurrency(whole, favor).functions
    inside = found.body.blocks[0].operations[0].body.blocks[0].operations
    return [label(operation) for operation in inside]


def label(operation):
    if not isinstance(operation, Concurrent):
        return operation.identity
    return f"[{' '.join(item.identity for item in operation.body.blocks[0].operations[:-1])}]"


# Waves.


def test_independent_work_is_one_wave():
    one, two = work("one", SOURCE), work("two", SOURCE)
    assert waves(one, two, returned=[one, two]) == ["one two"]


def test_dependent_work_is_in_waves_of_its_own():
    one = work("one", SOURCE)
    two = work("two", one)
    assert waves(one, two, returned=[two]) == ["one", "two"]


def test_favoring_debugging_makes_no_waves():
    assert waves(work("one", SOURCE), favor=Favor.DEBUG) == []


def test_what_is_favored_decides_when_work_without_dependents_runs():
    one = work("one", SOURCE)
    two = work("two", one)
    free = work("free", SOURCE)
    operations = (free, one, two)
    assert waves(*operations, returned=[two, free]) == ["free one", "two"]
    assert waves(*operations, returned=[two, free], favor=SPEED) == ["one", "free two"]
    assert DEFAULT_FAVOR is MEMORY


def test_what_is_no_work_is_in_no_wave():
    empty = Alloca(identity="empty", result=resource("empty"), affinity=None)
    table = Constant(
        identity="table", elements="dense<0> : tensor<16xi8>", length=SIZE,
        result=resource("table"), affinity=None,
    )  # fmt: skip
    user = work("user", empty, table)
    assert waves(empty, table, user, returned=[user]) == ["user"]
    fenced = barrier("fenced", SOURCE, A)
    assert waves(fenced, returned=[fenced]) == []


def test_what_depends_through_no_work_still_depends():
    first = work("first", SOURCE)
    fenced = barrier("fenced", first, A)
    last = work("last", fenced)
    assert waves(first, fenced, last, returned=[last]) == ["first", "last"]


def test_a_write_in_place_waits_for_earlier_readers_and_holds_later_ones_back():
    read = work("read", SOURCE)
    write = work("write", SOURCE, ties=(0,))
    after = work("after", SOURCE)
    operations = (read, write, after)
    returned = [read, write, after]
    assert waves(*operations, returned=returned) == ["read", "write", "after"]


def test_readers_that_cannot_write_are_not_looked_for():
    """A clone is no op that may write in place: IREE does not order it behind a write."""
    write = work("write", SOURCE, ties=(0,))
    copied = clone("copied", SOURCE, None)
    assert waves(write, copied, returned=[write, copied]) == ["write copied"]
    assert waves(copied, write, returned=[write, copied]) == ["copied", "write"]


def test_writes_that_touch_but_do_not_overlap_run_together():
    one, two = filled("one", SOURCE, 0, 8), filled("two", SOURCE, 8, 16)
    assert waves(one, two, returned=[one, two]) == ["one two"]
    three = filled("three", SOURCE, 4, 12)
    assert waves(one, three, returned=[one, three]) == ["one", "three"]


def test_a_value_may_be_taken_in_the_wave_that_makes_it():
    """What a fill leaves alone is read: IREE sees no hazard, and both run at the same time."""
    made = filled("made", SOURCE, 0, 8)
    part = sliced("part", made, 8, 16)
    last = work("last", part)
    operations = (made, part, last)
    for favor in (MEMORY, SPEED):
        assert waves(*operations, returned=[last], favor=favor) == ["made part", "last"]


def test_waves_within_a_region_are_one_op():
    inner = resource("inner")
    nest = concurrent("nest", SOURCE, inner, [work("one", inner)], resource("one"))
    nest = replace(nest, identity="nest")
    free = work("free", SOURCE)
    after = work("after", nest)
    assert waves(nest, free, after, returned=[after, free]) == ["nest", "free after"]


# Hazards.


def test_what_each_op_accesses():
    target = resource("target")
    whole = Access(SOURCE, None, SIZE, writes=False)
    made = splat("made", A)
    assert accesses(made) == (Access(made.result, None, SIZE, writes=True),)
    moved = transfer("moved", SOURCE, A, B)
    assert accesses(moved) == (whole, Access(moved.result, None, SIZE, writes=True))
    part = sliced("part", SOURCE, 4, 8)
    assert accesses(part) == (
        Access(SOURCE, 4, 8, writes=False),
        Access(part.result, None, 4, writes=True),
    )
    onto = update("onto", SOURCE, target, A)
    assert accesses(onto) == (
        whole,
        Access(target, 0, SIZE, writes=True),
        Access(onto.result, 0, SIZE, writes=True),
    )
    copied = Copy(
        identity="copied", source=SOURCE, source_span=Range.of(0, 4), target=target,
        target_span=Range.of(8, 4), result=resource("copied"), affinity=A,
    )  # fmt: skip
    assert accesses(copied) == (
        Access(SOURCE, 0, 4, writes=False),
        Access(target, 8, 12, writes=True),
        Access(copied.result, 8, 12, writes=True),
    )
    mixed = work("mixed", SOURCE, target, ties=(1, None))
    assert accesses(mixed) == (
        Access(SOURCE, 0, SIZE, writes=False),
        Access(target, 0, SIZE, writes=True),
        Access(mixed.outputs[0], 0, SIZE, writes=True),
        Access(mixed.outputs[1], None, SIZE, writes=True),
    )
    assert accesses(barrier("fenced", SOURCE, A)) is None


def test_what_a_wave_accesses():
    inner = resource("inner")
    nest = concurrent("nest", SOURCE, inner, [work("one", inner)], resource("one"))
    assert accesses(nest) == (
        Access(SOURCE, None, SIZE, writes=False),
        Access(nest.outputs[0], None, SIZE, writes=True),
    )
    assert accesses(replace(nest, ties=(0,))) == (
        Access(SOURCE, None, SIZE, writes=True),
        Access(nest.outputs[0], None, SIZE, writes=True),
    )


@pytest.mark.parametrize(
    ("one", "other", "hazard"),
    [
        (Access(SOURCE, 0, 8, True), Access(SOURCE, 4, 8, False), True),
        (Access(SOURCE, 0, 8, False), Access(SOURCE, 4, 8, False), False),
        (Access(SOURCE, 0, 8, True), Access(SOURCE, 8, 16, True), False),
        (Access(SOURCE, 8, 16, True), Access(SOURCE, 0, 8, True), False),
        # Only ends that meet are seen: IREE compares no numbers.
        (Access(SOURCE, 0, 4, True), Access(SOURCE, 8, 16, True), True),
        (Access(SOURCE, 0, 8, True), Access(resource("other"), 0, 8, True), False),
    ],
)
def test_hazards(one, other, hazard):
    assert have_hazard([one], [other]) is hazard


# The ops that waves become.


def test_a_wave_captures_and_yields():
    argument = resource("argument")
    one, two = work("one", argument), work("two", argument)
    done = execute("done", [SOURCE], [argument], [one, two], [two, one], A)
    (found,) = schedule_concurrency(
        module(func("f", [SOURCE], done, ended(*done.outputs)))
    ).functions
    wave, handed_on = found.body.blocks[0].operations[0].body.blocks[0].operations
    assert wave.captures == (argument,)
    assert wave.identity == "two+one"
    (inside,) = wave.body.blocks
    first, second, end = inside.operations
    assert first.bindings[0].value == inside.arguments[0]
    assert end.values == (*first.outputs, *second.outputs)
    assert handed_on.values == wave.outputs[::-1]


def test_a_wave_of_one_op_stays_as_it_is():
    argument = resource("argument")
    one = work("one", argument)
    two, three = work("two", one), work("three", one)
    assert running(one, two, three, returned=[two, three]) == ["one", "[two three]", "stream_yield"]


def test_ops_are_put_in_order_behind_the_wave_they_need():
    argument = resource("argument")
    one, two = work("one", argument), work("two", argument)
    three = work("three", one)
    operations = (two, one, three)
    assert running(*operations, returned=[three, two]) == ["[two one]", "three", "stream_yield"]
    found = running(*operations, returned=[three, two], favor=SPEED)
    assert found == ["one", "[two three]", "stream_yield"]


def test_two_waves_after_one_op():
    argument = resource("argument")
    one = work("one", argument)
    two, three = work("two", one), work("three", one)
    four, five = work("four", two, one), work("five", two, three)
    found = running(one, two, three, four, five, returned=[four, five])
    assert found == ["one", "[two three]", "[four five]", "stream_yield"]


def test_regions_within_control_flow_have_no_waves():
    argument = resource("argument")
    done = execute(
        "done", [SOURCE], [argument], [work("one", argument), work("two", argument)],
        [resource("one"), resource("two")], A,
    )  # fmt: skip
    chosen = choose("chosen", [done], done.outputs[0], [], SOURCE)
    whole = module(func("f", [SOURCE], chosen, ended(chosen)))
    assert schedule_concurrency(whole) == whole


# The compiler.


def scheduled_program(count: int) -> Program:
    """Random functions, so many of them, in one module."""
    devices: dict[str, None] = {}
    functions = []
    number = 0
    while len(functions) < count:
        whole = random_program(3, number, PROFILES["well-formed"])
        number += 1
        try:
            (main,) = schedule_execution(whole, RULES).functions
        except (ScheduleRefusedError, UnsupportedOperationError):
            continue
        functions.append(replace(main, name=f"f{number}"))
        devices.update(dict.fromkeys(whole.devices))
    return Program(tuple(devices), tuple(functions))


@pytest.mark.parametrize("favor", list(Favor))
def test_the_compiler_makes_the_waves_that_the_model_makes(ask, favor, tmp_path):
    """Under each `favor`, by the stock tool: the flag is the process's."""
    tool = Path(sys.executable).with_name("iree-opt")
    if not tool.exists():
        pytest.skip("no iree-opt here")
    text = print_program(scheduled_program(12))
    file = tmp_path / "program.mlir"
    file.write_text(text)
    run = subprocess.run(
        [
            tool, file, "--mlir-print-debuginfo",
            f"--iree-stream-partitioning-favor={favor.value}",
            f"--pass-pipeline={stages.SCHEDULE_CONCURRENCY.pipeline}",
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    expected, actual = schedule_concurrency(read(ask, text), favor), read(ask, run.stdout)
    assert first_difference(expected, actual) is None
    made = sum(isinstance(operation, Concurrent) for operation in actual.operations())
    assert (made > 0) is (favor is not Favor.DEBUG)


def read(ask, text: str) -> Program:
    (answer,) = ask(text, ["read"])
    found = read_program(answer)
    assert not found.unsupported
    return found.program


# What holds of any waves.


@given(st.integers(0, 1 << 30), st.sampled_from([MEMORY, SPEED]))
@settings(max_examples=60, deadline=None)
def test_waves_respect_hazards(seed, favor):
    whole = random_program(seed, 0, PROFILES["well-formed"])
    try:
        whole = schedule_execution(whole, RULES)
    except (ScheduleRefusedError, UnsupportedOperationError):
        return
    for region in walk_regions(whole):
        operations = region.blocks[0].operations
        found = region_waves(operations, favor)
        wave_of = {name: place for place, wave in enumerate(found) for name in wave.operations}
        assert len(wave_of) == sum(len(wave.operations) for wave in found)
        for place, first in enumerate(operations):
            for second in operations[place + 1 :]:
                if first.identity in wave_of and second.identity in wave_of:
                    made, taken = accesses(first), accesses(second)
                    if not set(first.results).isdisjoint(second.operands):
                        assert wave_of[first.identity] <= wave_of[second.identity]
                        if made and taken and have_hazard(made, taken):
                            assert wave_of[first.identity] < wave_of[second.identity]


def walk_regions(whole: Program):
    for body in whole.bodies():
        for operation in walk(body):
            if isinstance(operation, Execute):
                yield operation.body
