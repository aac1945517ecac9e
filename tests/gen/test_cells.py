"""The cells that a program touches, and all that there are."""

from __future__ import annotations

from collections import Counter

import pytest
from samples import SEVEN, VIEW, A, B, program, resource

from gen.cell_space import cell_space
from gen.coverage import NAMES, Cell, cells
from gen.profiles import PROFILES
from gen.programs import program as generated
from reference.ops import Binding, Dispatch, Export, Import, Load, Splat, Transfer
from reference.ops.assembly import Range
from reference.releases import RELEASES
from reference.types import BUFFER_VIEW, I32, Lifetime, Value

NEWEST, OLDEST = RELEASES[-1], RELEASES[0]


def told(*operations: object) -> set[str]:
    return {str(cell) for cell in cells(program(*operations, arguments=(VIEW,)))}  # type: ignore[arg-type]


def test_a_transfer_is_told_by_its_ends_its_lifetimes_its_pin_and_its_users() -> None:
    taken = resource("taken", Lifetime.EXTERNAL)
    moved = resource("moved", Lifetime.TRANSIENT)
    given = resource("given", Lifetime.EXTERNAL)
    found = told(
        Import(
            identity="op0", source=VIEW, encoding="tensor<4xi32>", dimensions=(), result=taken,
            affinity=A,
        ),
        Transfer(
            identity="op1", source=taken, result=moved, source_affinity=A, target_affinity=B
        ),
        Transfer(
            identity="op2", source=moved, result=given, source_affinity=B, target_affinity=B
        ),
        Transfer(
            identity="op3", source=moved, result=resource("lost"), source_affinity=B,
            target_affinity=None,
        ),
        Export(
            identity="op4", source=given, encoding="tensor<4xi32>", dimensions=(),
            result=Value("out", BUFFER_VIEW), affinity=B,
        ),
    )  # fmt: skip
    assert found == {
        # Its one user pulls the bytes to B: external memory is fetched by who wants it.
        "stream.tensor.import none external pinned cross-device one-use",
        "transfer external transient free cross-device several-uses",
        "transfer transient external pinned same-device one-use",
        "transfer transient transient free unplaced unused",
        "stream.tensor.export external none pinned same-device one-use",
    }


def test_an_op_of_several_operands_and_results_has_a_cell_for_each_two_of_them() -> None:
    one, other = resource("one"), resource("other", Lifetime.EXTERNAL)
    made = (resource("x"), resource("y", Lifetime.VARIABLE))
    whole = Range.of(0, 16)
    found = told(
        Splat(identity="op0", pattern=SEVEN, result=one, affinity=A),
        Splat(identity="op1", pattern=SEVEN, result=other, affinity=None),
        Dispatch(
            identity="op2", kernel="ex::d", workload=(), affinity=A, outputs=made,
            arguments=(Binding(one, whole), Binding(one, whole), Binding(other, whole)),
            ties=(None, None),
        ),
    )  # fmt: skip
    assert found == {
        "splat none transient free same-device several-uses",
        "splat none external free unplaced one-use",
        "dispatch transient transient free same-device unused",
        "dispatch transient variable free same-device unused",
        "dispatch external transient free same-device unused",
        "dispatch external variable free same-device unused",
    }


def test_what_takes_and_makes_no_resource_has_no_cell() -> None:
    staged = resource("staged", Lifetime.STAGING)
    load = Load(identity="op0", source=staged, offset=0, result=Value("scalar", I32))
    assert [str(cell) for cell in cells(program(load, arguments=(staged,)))] == [
        "load staging none free unplaced one-use"
    ]
    assert not list(cells(program()))


@pytest.mark.parametrize("profile", ["nightly", "nightly-valid", "valid", "stream"])
def test_the_language_has_every_cell_that_programs_have(profile: str) -> None:
    counts: Counter[Cell] = Counter()
    for index in range(300):
        counts.update(cells(generated(3, index, PROFILES[profile])))
    assert len(counts) > 100
    assert set(counts) <= cell_space(NEWEST)


def test_the_language_has_no_cell_that_no_valid_program_has() -> None:
    space = cell_space(NEWEST)
    assert {cell.op for cell in space} == set(NAMES.values())
    transfers = {(cell.source, cell.result) for cell in space if cell.op == "transfer"}
    assert len(transfers) == 36
    assert not any("staging" in (cell.source, cell.result) for cell in space if cell.op == "clone")
    loads = [cell for cell in space if cell.op == "load"]
    assert {cell.reach for cell in loads} == {"unplaced"}
    assert {cell.source for cell in loads} == {"staging"}
    # An import with an affinity pins; a value that is pinned by somebody else has a user.
    imports = [cell for cell in space if cell.op == "stream.tensor.import"]
    assert all(cell.pinned == "pinned" for cell in imports if cell.reach != "unplaced")
    assert not any(
        cell.pinned == "pinned" and cell.fan_out == "unused"
        for cell in space
        if cell.op == "transfer"
    )


def test_a_release_has_no_cells_of_ops_that_it_lacks() -> None:
    gone = {cell.op for cell in cell_space(NEWEST) - cell_space(OLDEST)}
    assert gone == {"cast"}


def test_cells_come_back_as_they_were_written_down() -> None:
    for index in range(50):
        for cell in cells(generated(3, index, PROFILES["nightly"])):
            assert Cell.parse(str(cell)) == cell


@pytest.mark.parametrize(
    "text", ["", "splat none transient", "splat none transient free nowhere unused"]
)
def test_what_is_no_cell_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a cell"):
        Cell.parse(text)
