"""Programs under other names and in another order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flow import choose, count_loop, execute, func, initializer, kept, module, opaque, store_global
from hypothesis import given
from hypothesis import strategies as st
from straight import A, B, C, clone, dispatch, load, program, resource, splat, transfer

from reference.affinity import ANY_QUEUE, Affinity, Link, OptimalAffinity, Topology
from reference.contracts.renaming import (
    affinities,
    keeping_order,
    rename_devices,
    reversing_order,
)
from reference.contracts.reordering import reorder
from reference.ir import Operation, Program, walk
from reference.text import print_program

GIVEN = resource("given")
NAMES = st.text(alphabet="ad1_$", min_size=1, max_size=4).filter(lambda name: name[0] in "ad")


def used(*found: Affinity) -> Program:
    """A program that mentions these affinities and has their devices."""
    operations = [splat(f"op{place}", one) for place, one in enumerate(found)]
    devices = tuple(dict.fromkeys(one.device for one in found))
    return replace(program(operations, *operations), devices=devices)


@given(st.lists(st.tuples(NAMES, st.sampled_from([ANY_QUEUE, 1, 2, 3])), min_size=1, max_size=9))
def test_the_order_of_printed_affinities_stays(pairs: list[tuple[str, int]]) -> None:
    whole = used(*(Affinity(device, queues) for device, queues in pairs))
    names = keeping_order(whole)
    assert set(names) == set(whole.devices)
    assert len(set(names.values())) == len(names)
    assert set(names.values()).isdisjoint(names)
    order = sorted({Affinity(*pair) for pair in pairs}, key=str)
    renamed = [Affinity(names[one.device], one.queues) for one in order]
    assert renamed == sorted(renamed, key=str)


def test_names_that_start_alike_keep_their_ends() -> None:
    """Queues of @dev come before @dev1 and the whole of @dev behind it: no other names do that."""
    mixed = used(Affinity("dev", 1), Affinity("dev1"), Affinity("dev"))
    assert keeping_order(mixed) == {"dev": "renamed_dev", "dev1": "renamed_dev1"}
    plain = used(Affinity("dev1"), Affinity("dev"))
    assert keeping_order(plain) == {"dev1": "ant", "dev": "bear"}


def test_names_of_other_things_are_not_taken() -> None:
    taken = module(func("ant", [GIVEN], splat("made", A), *program([], GIVEN).functions[0].entry
                        .operations))  # fmt: skip
    assert set(keeping_order(taken).values()) == {
        "renamed_device_a", "renamed_device_b", "renamed_device_c",
    }  # fmt: skip
    kernel = replace(dispatch("work", GIVEN, on=A), kernel="ant::d")
    assert "renamed_device_a" in keeping_order(program([kernel], kernel)).values()


def test_many_devices_have_names_too() -> None:
    many = used(*(Affinity(f"d{place}") for place in range(20)))
    assert keeping_order(many)["d3"] == "renamed_d3"


def whole_program() -> Program:
    """Affinities wherever a program may have one."""
    inner = resource("inner")
    run = execute("run", [GIVEN], [inner], [clone("copied", inner, B)], [inner], C)
    carried = resource("carried")
    loop = count_loop("loop", [GIVEN], [carried], [step := clone("step", carried, A)], [step])
    moved = transfer("moved", GIVEN, A, B, on=C)
    function = func(
        "f", [GIVEN], moved, run, loop, opaque("shown", moved),
        *program([], GIVEN).functions[0].entry.operations, default=A,
    )  # fmt: skip
    start = initializer(splat("start", B), store_global("store", splat("start", B), "state"))
    both = OptimalAffinity((A, B))
    return replace(
        module(function, globals=[kept("state", A)], initializers=[start], default=C),
        topology=Topology((Link("device_a", "device_b", unified_memory=True),)),
        default_affinity=both,
    )


def test_every_affinity_is_renamed() -> None:
    whole = whole_program()
    names = keeping_order(whole)
    renamed = rename_devices(whole, names)
    assert renamed.devices == ("ant", "bear", "crow")
    assert "device_" not in str(renamed)
    assert len(list(affinities(renamed))) == len(list(affinities(whole)))
    back = rename_devices(renamed, {new: old for old, new in names.items()})
    assert back == whole


def test_other_names_stay() -> None:
    whole = whole_program()
    assert rename_devices(whole, {}) == whole
    assert rename_devices(whole, {"device_a": "x"}).devices == ("x", "device_b", "device_c")


def test_reversed_names_are_the_same_names() -> None:
    whole = program([work := dispatch("work", GIVEN, on=A)], work)
    names = reversing_order(whole)
    assert names == {"device_a": "device_c", "device_b": "device_b", "device_c": "device_a"}
    turned = rename_devices(whole, names)
    assert turned.devices == ("device_c", "device_b", "device_a")
    assert list(affinities(turned)) == [C]


def identities(whole: Program) -> list[str]:
    return [operation.identity for body in whole.bodies() for operation in walk(body)]


def late_first(operation: Operation) -> int:
    return -int(operation.identity.rpartition("_")[2]) if "_" in operation.identity else 0


def test_independent_ops_change_places() -> None:
    one, other = splat("op_1", A), splat("op_2", A)
    whole = program([one, other], one, other)
    assert identities(reorder(whole, late_first)) == ["op_2", "op_1", "return"]
    assert identities(reorder(whole, lambda _: 0)) == identities(whole)


def test_what_is_made_stands_before_who_takes_it() -> None:
    one = splat("op_1", A)
    other = clone("op_2", one, A)
    assert identities(reorder(program([one, other], other), late_first)) == [
        "op_1", "op_2", "return",
    ]  # fmt: skip


def test_ops_of_the_host_keep_their_order() -> None:
    staged = resource("staged")
    first, second = load("op_1", staged), opaque("op_2", GIVEN)
    made = splat("op_3", A)
    assert identities(reorder(program([first, second, made], made), late_first)) == [
        "op_3", "op_1", "op_2", "return",
    ]  # fmt: skip


def test_ops_inside_others_change_places_too() -> None:
    one, other = splat("op_1", A), splat("op_2", A)
    chosen = choose("op_3", [one, other], one, [], GIVEN)
    made = splat("op_4", A)
    inside = clone("op_5", made, A)
    taking = choose("op_6", [inside], inside, [], GIVEN)
    whole = program([chosen, made, taking], chosen, taking)
    assert identities(reorder(whole, late_first)) == [
        "op_4", "op_3", "op_2", "op_1", "yield", "yield", "op_6", "op_5", "yield", "yield",
        "return",
    ]  # fmt: skip


def test_initializers_are_reordered() -> None:
    start = initializer(splat("op_1", A), splat("op_2", A))
    whole = module(initializers=[start])
    assert identities(reorder(whole, late_first)) == ["op_2", "op_1", "return"]


def test_ops_that_wait_for_each_other_have_no_order() -> None:
    one, other = clone("op_1", resource("op_2"), A), clone("op_2", resource("op_1"), A)
    with pytest.raises(AssertionError, match="wait for each other"):
        reorder(program([one, other], one), late_first)


def test_a_reordered_program_is_printed() -> None:
    whole = program([one := splat("op_1", A), other := splat("op_2", A)], one, other)
    text = print_program(reorder(whole, late_first))
    assert text.index("op_2") < text.index("op_1")
