"""The schedule of hand-written programs, the compiler asked too; what holds of any schedule."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from flow import (
    CHOICE,
    blocks,
    choose,
    count_loop,
    ended,
    fork,
    func,
    go,
    initializer,
    kept,
    load_global,
    module,
    opaque,
    store_global,
    timed,
    when,
    while_loop,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import installed_rules
from straight import (
    EXTERNAL,
    STAGING,
    A,
    B,
    barrier,
    clone,
    dispatch,
    exported,
    function,
    imported,
    load,
    program,
    resource,
    splat,
    transfer,
    update,
)
from test_outline import left_behind

from gen.profiles import PROFILES
from gen.programs import program as random_program
from oracle.compiling import stages
from oracle.reading.reader import read_program
from oracle.reading.structure import first_difference
from reference.folding.working import Body
from reference.ir import Program, UnsupportedOperationError, walk
from reference.ops import Await, Barrier, Execute, Join, StreamYield, TimepointImport, Transfer
from reference.releases import release_rules
from reference.scheduling.outline import outline_execution
from reference.scheduling.partition_fault import PartitionFault, ScheduleRefusedError
from reference.scheduling.schedule import schedule_execution
from reference.text import print_program
from reference.types import FENCE, TIMEPOINT, Value

RULES = installed_rules()
OLDEST = release_rules("3.11")[0]
SOURCE = resource("source", EXTERNAL)


def work(name, *sources, on=A, lifetime=EXTERNAL, ties=(None,)):
    return dispatch(name, *sources, on=on, lifetime=lifetime, ties=ties)


def chain(count):
    links = [work("made", SOURCE)]
    for place in range(count):
        value = links[-1].results[0]
        made = Value(f"link{place}", value.type, value.size)
        links.append(replace(barrier(f"link{place}", value, A), result=made))
    return links


def straight_programs():
    made = work("made", SOURCE)
    yield "one region", program([made], made)
    sent = transfer("sent", made, A, B)
    onward = work("onward", sent, on=B)
    yield "two devices", program([made, sent, onward], onward)
    pulled = transfer("pulled", SOURCE, A, B, on=A)
    yield "a transfer elsewhere", program([pulled], pulled)
    back = transfer("back", sent, B, A)
    yield "there and back", program([made, sent, back], back)
    one = splat("splat", A, EXTERNAL)
    first, second = work("first", one), work("second", one)
    between = work("between", first, on=B)
    last = work("last", one, between)
    yield "a splat twice", program([one, first, between, last, second], last, second)
    shown = exported("shown", one, A)
    yield "a splat for the host", program([one, first, between, last, shown], last, shown)
    unused = work("unused", SOURCE)
    yield "what nobody needs", program([made, unused], made)
    (*links,) = chain(1)
    yield "a barrier", program(links, links[-1])
    yield "a barrier and its producer", program(links, links[-1], links[0])
    user = work("user", links[-1], made)
    yield "work after a barrier", program([*links, user], user)
    (*links,) = chain(2)
    yield "a barrier that is left over", program(links, links[-1])
    staged = transfer("staged", SOURCE, A, A, STAGING)
    loaded = load("loaded", staged)
    scaled = replace(work("scaled", SOURCE), arguments=(*made.arguments, loaded.result))
    yield "a load between", program([staged, loaded, scaled], scaled)
    copied = clone("copied", SOURCE, A)
    copied = replace(copied, result=resource("copied", EXTERNAL))
    onto = update("onto", SOURCE, copied, A)
    yield "a clone and an update", program([copied, onto], onto)
    seen, again = exported("seen", made, A), exported("again", sent, B)
    yield "several results", program([made, sent, seen, again], seen, again, made)
    read = imported("read", A)
    yield "an import", program([read, work("user", read)], read)
    pair = work("pair", SOURCE, ties=(0, None))
    yield "a result in place", program([pair], *pair.outputs)


def wide(operation):
    """The op with results that the caller may see."""
    return replace(
        operation, outputs=tuple(resource(item.name, EXTERNAL) for item in operation.outputs)
    )


def control_flow_programs():
    made = splat("made", A, EXTERNAL)
    inside = work("inside", made, made)
    chosen = wide(choose("chosen", [inside], inside, [], made))
    after = work("after", chosen)
    yield "a choice", module(func("f", [], made, chosen, after, ended(after)))
    base = work("base", SOURCE)
    both = work("both", base, chosen)
    operations = (base, made, chosen, both)
    yield "a choice and what it takes", module(func("f", [SOURCE], *operations, ended(both)))
    turn = resource("turn", EXTERNAL)
    step = work("step", turn, base)
    loop = wide(count_loop("loop", [base], [turn], [step], [step]))
    operations = (base, loop, work("after", loop))
    yield "a loop", module(func("f", [SOURCE], *operations, ended(loop)))
    asked, turned = resource("asked", EXTERNAL), resource("turned", EXTERNAL)
    step, ask = work("step", turned), work("ask", asked)
    turns = wide(while_loop("turns", [base], ([asked], [ask], [ask]), ([turned], [step], [step])))
    yield "a loop that asks", module(func("f", [SOURCE], base, turns, ended(turns)))
    store = store_global("store", base, "g")
    home = replace(kept("g"), type=base.outputs[0].type)
    stored = func("f", [SOURCE], base, when("when", store), ended(base))
    yield "a store in a region", module(stored, globals=[home])
    got = replace(load_global("got", "g"), result=resource("got", EXTERNAL))
    fresh = splat("fresh", A, EXTERNAL)
    start = initializer(fresh, store_global("store", fresh, "g"))
    again = store_global("again", base, "g")
    loaded = func("f", [SOURCE], base, got, again, work("user", got), ended(got))
    yield "globals", module(loaded, globals=[home], initializers=[start])
    body = blocks(
        ((SOURCE, CHOICE), (made, base, *tail())),
        ((turn,), (work("later", made, turn), ended(resource("later", EXTERNAL)))),
        ((), (work("other", base, on=B), go(1, resource("other", EXTERNAL)))),
    )
    yield "blocks", module(func("f", [], body=body))
    operations, last = left_behind()
    source = resource("source")
    yield "a splat that is left over", module(func("f", [source], *operations, ended(last)))


def tail():
    yield work("first", resource("made", EXTERNAL))
    yield work("through", resource("first", EXTERNAL), on=B)
    yield work("third", resource("made", EXTERNAL), resource("through", EXTERNAL))
    yield fork((2, ()), (1, [resource("third", EXTERNAL)]))


def timeline_programs():
    fence = Value("fence", FENCE)
    times = [Value(f"time{place}", TIMEPOINT) for place in range(2)]
    imports = [
        TimepointImport(identity=time.name, sources=(fence,), result=time, affinity=A)
        for time in times
    ]
    made, other = (
        replace(splat(name, A, EXTERNAL), awaits=time)
        for name, time in zip(("made", "other"), times, strict=True)
    )
    yield "a splat that waits", program([imports[0], made], made)
    yield "two splats that wait", program([*imports, made, other], made, other)
    given = imported("given", A)
    ready = replace(timed("ready", given, A), source=given.result)
    ready = replace(ready, result=resource("ready", EXTERNAL))
    yield "what is there already", program([given, ready], ready, ready.timepoint)
    base = work("base", SOURCE)
    ready = replace(timed("ready", base, A), source=base.outputs[0])
    ready = replace(ready, result=resource("ready", EXTERNAL))
    yield "what is ready later", program([base, ready], ready, ready.timepoint)
    yield "what nothing optimizes", program([base, opaque("host", base)], base)


PROGRAMS = dict([*straight_programs(), *control_flow_programs(), *timeline_programs()])
NEEDS_ON = {"a transfer elsewhere"}


def scheduled_by_compiler(ask, whole: Program) -> tuple[Program, Program]:
    """A program as the compiler reads it, and what its pass makes of that."""
    before, _, after = ask(
        print_program(whole),
        ["read"],
        ["run", stages.SCHEDULE_EXECUTION.pipeline],
        ["read"],
    )
    read = read_program(before), read_program(after)
    assert read[0].unsupported == read[1].unsupported == ()
    return read[0].program, read[1].program


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_compiler_schedules_as_the_model_does(ask, name):
    if name in NEEDS_ON and not RULES.explicit_transfer_execution:
        pytest.skip("this release has no on(…)")
    before, after = scheduled_by_compiler(ask, PROGRAMS[name])
    assert first_difference(schedule_execution(before, RULES), after) is None


def test_the_compiler_names_a_region_after_the_places_that_are_known(ask):
    made, other, alone = splat("made", A, EXTERNAL), work("other", SOURCE), splat("alone", B)
    made, alone = replace(made, identity="unknown"), replace(alone, identity="unknown~2")
    before, after = scheduled_by_compiler(ask, program([made, other, alone], made, other, alone))
    identities = [item.identity for item in after.operations() if isinstance(item, Execute)]
    assert identities == ["other", "unknown~2"]
    assert first_difference(schedule_execution(before, RULES), after) is None


@pytest.mark.parametrize("links", [2, 3])
def test_the_compiler_refuses_what_the_model_refuses(ask, links):
    made = chain(links)
    user = work("user", made[-1])
    whole = program([*made, user], user)
    with pytest.raises(ScheduleRefusedError) as refused:
        schedule_execution(whole, RULES)
    assert refused.value.fault is PartitionFault.CIRCULAR if links == 2 else PartitionFault.CYCLE
    with pytest.raises(AssertionError, match="diagnostics"):
        ask(print_program(whole), ["run", stages.SCHEDULE_EXECUTION.pipeline])


# Cleanup.


def scheduled(*operations, returned=(), release=RULES):
    (found,) = schedule_execution(program(operations, *returned), release).functions
    return found.body.blocks[0].operations


def test_a_device_waits_for_the_device_before():
    made = work("made", SOURCE)
    onward = work("onward", made, on=B)
    first, second, wait, _ = scheduled(made, onward, returned=[onward])
    assert second.awaits == first.timepoint
    assert second.captures == first.outputs
    assert wait.awaits == second.timepoint


def test_a_region_that_depends_on_several_joins_them():
    left, right = work("left", SOURCE), work("right", SOURCE, on=B)
    both = work("both", left, right, on=replace(A, device="device_c"))
    found = scheduled(left, right, both, returned=[both])
    (join,) = (item for item in found if isinstance(item, Join))
    timepoints = {item.timepoint for item in found if isinstance(item, Execute)}
    assert set(join.sources) < timepoints


def test_barriers_are_gone_and_so_are_regions_that_held_nothing_else():
    fenced = barrier("fenced", SOURCE, A)
    found = scheduled(fenced, returned=[fenced])
    assert [type(item).__name__ for item in found] == ["Return"]


def test_results_for_the_host_are_awaited_together():
    made = work("made", SOURCE, ties=(None, None))
    found = scheduled(made, returned=made.outputs)
    (wait,) = (item for item in found if isinstance(item, Await))
    assert len(wait.outputs) == 2


def test_a_function_of_another_module_stays():
    declared = replace(function([]), body=replace(function([]).body, blocks=()))
    assert schedule_execution(Program((), (declared,)), RULES).functions == (declared,)


def test_before_3_12_a_cycle_that_stays_is_refused_all_the_same():
    made = chain(3)
    user = work("user", made[-1])
    with pytest.raises(ScheduleRefusedError):
        scheduled(*made, user, returned=[user], release=OLDEST)
    names = [type(item).__name__ for item in scheduled(*made, user, release=OLDEST)]
    assert names == ["Return"]


# What holds of any schedule.


@given(
    st.integers(0, 1 << 30),
    st.sampled_from(["well-formed", "nightly"]),
    st.sampled_from([release_rules(version)[0] for version in ("3.11", "3.12")]),
)
@settings(max_examples=60, deadline=None)
def test_every_op_is_in_one_region_or_repeated(seed, profile, release):
    whole = random_program(seed, 0, PROFILES[profile])
    for region in whole.bodies():
        if not region.blocks:
            continue
        body = Body(region)
        try:
            outline_execution(body, release)
        except ScheduleRefusedError:
            continue
        inside = Counter(_origin(node) for node in body.region.walk() if _is_scheduled(node))
        left = Counter(
            _origin(node)
            for node in body.region.walk()
            if node.kind.streamable and not _is_scheduled(node)
        )
        for operation in walk(region):
            times = inside[operation.identity] + left[operation.identity]
            if operation.prefers_clone_to_consumers:
                continue
            if isinstance(operation, Barrier | Transfer):
                assert times <= 1
            elif operation.streamable:
                assert (inside[operation.identity], left[operation.identity]) == (1, 0)


def _is_scheduled(node):
    parent = node.parent
    return parent is not None and parent.kind is Execute and node.kind is not StreamYield


def _origin(node):
    return node.current.identity.partition("~")[0]


@given(st.integers(0, 1 << 30), st.sampled_from(["well-formed", "nightly"]))
@settings(max_examples=60, deadline=None)
def test_values_are_made_before_they_are_used(seed, profile):
    whole = random_program(seed, 0, PROFILES[profile])
    try:
        found = schedule_execution(whole, release_rules("3.12")[0])
    except (ScheduleRefusedError, UnsupportedOperationError):
        return
    for body in found.bodies():
        made = {value for block in body.blocks for value in block.arguments}
        _check_order(body, made)


def _check_order(region, made):
    for block in region.blocks:
        made.update(block.arguments)
        for operation in block.operations:
            taken = {value for value in operation.operands if value.is_resource}
            # Another block may stand before those that lead to it.
            assert taken <= made or len(region.blocks) > 1
            for inner in operation.regions:
                _check_order(inner, made)
            made.update(operation.results)


@given(st.integers(0, 1 << 30))
@settings(max_examples=40, deadline=None)
def test_regions_yield_what_they_hand_out(seed):
    whole = random_program(seed, 0, PROFILES["well-formed"])
    try:
        found = schedule_execution(whole, release_rules("3.12")[0])
    except (ScheduleRefusedError, UnsupportedOperationError):
        return
    for operation in found.operations():
        if isinstance(operation, Execute):
            (inside,) = operation.body.blocks
            end = inside.operations[-1]
            assert isinstance(end, StreamYield)
            assert [item.type for item in end.values] == [item.type for item in operation.outputs]
            assert [item.type for item in inside.arguments] == [
                item.type for item in operation.captures
            ]
            assert not any(item.regions for item in walk(operation.body))
