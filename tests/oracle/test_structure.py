"""Where two programs first differ: every field of every op counts, names of values do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

import pytest

from gen.profiles import PROFILES
from gen.programs import program
from oracle.reading.structure import _Comparison, first_difference, locations
from reference.affinity import Affinity
from reference.folding.layouts import with_inputs
from reference.ir import Operation, Program, map_operations
from reference.types import Literal, Value

NIGHTLY = PROFILES["nightly"]
ELSEWHERE = Affinity("elsewhere")


def generated(count: int) -> Iterator[Program]:
    return (program(5, index, NIGHTLY) for index in range(count))


def with_other(found: Program, old: Operation, new: Operation) -> Program:
    """The program with another op in the place of one."""

    def changed(operation: Operation) -> Operation:
        return new if operation.identity == old.identity else operation

    return replace(
        found,
        initializers=tuple(
            replace(one, body=map_operations(one.body, changed)) for one in found.initializers
        ),
        functions=tuple(
            replace(one, body=map_operations(one.body, changed)) for one in found.functions
        ),
    )


def other(item: int | Literal | Value) -> int | Literal | Value:
    """Another operand of the same type."""
    if isinstance(item, Value):
        return Value(f"other_{item.name}", item.type, item.size, item.known)
    return item + 1 if isinstance(item, int) else Literal(1 - item.value, item.type)


def test_a_program_is_like_itself() -> None:
    for found in generated(60):
        assert first_difference(found, found) is None


def test_an_affinity_that_differs_is_found() -> None:
    for found in generated(20):
        for operation in found.operations():
            for field in fields(operation):
                if "affinity" in field.name:
                    changed = replace(operation, **{field.name: ELSEWHERE})  # type: ignore[arg-type]
                    difference = first_difference(found, with_other(found, operation, changed))
                    assert difference is not None
                    word = operation.mnemonic.rpartition(".")[2]
                    assert difference.shape == ("attribute", word, field.name.replace("_", "-"))


def test_an_operand_that_differs_is_found() -> None:
    changes = 0
    for found in generated(15):
        for operation in found.operations():
            inputs = list(operation.inputs)
            for place, item in enumerate(inputs):
                if item is None:
                    continue
                changed = with_inputs(
                    operation, [*inputs[:place], other(item), *inputs[place + 1 :]]
                )
                if changed.inputs[place] == item:
                    # It is the same as another one of the op's, which was put there again.
                    continue
                difference = first_difference(found, with_other(found, operation, changed))
                assert difference is not None, (operation, place)
                assert difference.shape[0] == "operand"
                changes += 1
    assert changes > 800


def test_most_ops_are_alike_at_first_glance() -> None:
    """The quick comparison is worth its lines only where it answers."""
    asked: list[bool] = []

    class Counting(_Comparison):
        def _alike(self, expected: Operation, actual: Operation) -> bool:
            asked.append(super()._alike(expected, actual))
            return asked[-1]

    for found in generated(20):
        for region in found.bodies():
            assert Counting().regions(region, region) is None
    assert sum(asked) > 0.9 * len(asked) > 0


@pytest.mark.parametrize(
    ("identity", "parts"),
    [
        ("op1", {"op1"}),
        ("op1~2+op7", {"op1", "op7"}),
        ("line12~3", {"line12"}),
        ("line12+line14~2", {"line12", "line14"}),
        ("line12+op7", {"op7"}),
        ("liner+op7", {"liner", "op7"}),
    ],
)
def test_the_locations_of_an_identity(identity: str, parts: set[str]) -> None:
    assert locations(identity) == parts
