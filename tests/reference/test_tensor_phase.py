"""Ops on tensors as the affinity analysis sees them: where they run, what is tied and pinned."""

from __future__ import annotations

import pytest
from tensors import A, B, on_tensors, tensor

from reference.ir import Attribute, GenericOperation, Region, UnsupportedOperationError
from reference.ops.tensor_phase import TENSOR_OPERATIONS, TensorOperation
from reference.types import BUFFER_VIEW, FENCE, INDEX, Literal, Value

T, MADE = tensor("t", "16xi8"), tensor("made", "16xi8")
VIEW, FENCE_OUT = Value("view", BUFFER_VIEW), Value("fence", FENCE)
ON_A = str(A)


def read(generic: GenericOperation) -> TensorOperation:
    return TENSOR_OPERATIONS[generic.name].from_generic(generic)


def generic(name: str, *operands: Value | int, **attributes: Attribute) -> GenericOperation:
    """An op as the bindings describe it; `__` stands for the dot in an attribute's name."""
    told = {key.replace("__", "."): value for key, value in attributes.items()}
    return GenericOperation(name, "op", operands, (MADE,), told)


@pytest.mark.parametrize(
    ("name", "attribute", "needs_place", "pins"),
    [
        ("flow.tensor.clone", "stream__affinity", True, False),
        ("flow.tensor.transfer", "target", True, False),
        ("flow.tensor.barrier", "target", True, True),
        ("stream.tensor.constant", "affinity", True, False),
        ("hal.tensor.export", "affinity", False, True),
        ("hal.tensor.transients", "affinity", False, True),
    ],
)
def test_where_an_op_says_that_it_runs(
    name: str, attribute: str, needs_place: bool, pins: bool
) -> None:
    placed, free = read(generic(name, T, **{attribute: A})), read(generic(name, T))
    assert (placed.execution_affinity, free.execution_affinity) == (A, None)
    assert placed.takes_affinity
    assert placed.inputs == placed.arguments == (T,)
    assert placed.requires_affinity is needs_place
    # Only what is said pins.
    assert (placed.pins, free.pins) == (pins, False)
    others = {"stream__affinity", "target", "affinity"} - {attribute}
    elsewhere = read(generic(name, T, **dict.fromkeys(others, B)))
    assert elsewhere.execution_affinity is None


@pytest.mark.parametrize(
    "name", ["flow.tensor.load", "flow.tensor.store", "flow.tensor.bitcast", "hal.tensor.barrier"]
)
def test_what_is_not_asked_where_it_runs(name: str) -> None:
    one = on_tensors(name, (T,), (), (), gives=MADE)
    assert not one.takes_affinity
    assert not one.requires_affinity
    # A fence is seen by others; all else may go when nobody uses it.
    assert one.side_effects is (name == "hal.tensor.barrier")


@pytest.mark.parametrize(
    "name",
    [
        "flow.tensor.barrier", "flow.tensor.reshape", "flow.tensor.bitcast", "flow.tensor.update",
        "hal.tensor.alias", "hal.tensor.transients",
    ],
)  # fmt: skip
def test_results_in_the_storage_of_the_first_operand(name: str) -> None:
    assert read(generic(name, T, 4)).tied == ((MADE, T),)


@pytest.mark.parametrize(
    "name", ["flow.tensor.clone", "flow.tensor.store", "flow.tensor.slice", "hal.tensor.import"]
)
def test_results_with_storage_of_their_own(name: str) -> None:
    assert read(generic(name, T, 4)).tied == ()


def test_what_a_fence_waits_for_is_what_was_given_each() -> None:
    outputs = (tensor("p", "1xi8"), tensor("q", "2xi8"))
    one = read(generic("hal.tensor.barrier", T, MADE, FENCE_OUT)._replace(results=outputs))
    assert one.tied == ((outputs[0], T), (outputs[1], MADE))
    assert one.results == outputs


def test_ties_of_a_dispatch_count_from_behind_the_workload() -> None:
    n = Value("n", INDEX)
    segments = (2, 3, 0, 0)
    one = read(
        generic(
            "flow.dispatch", 4, n, T, 7, MADE, operandSegmentSizes=segments, tied_operands=(2, -1)
        )._replace(results=(tensor("p", "1xi8"), tensor("q", "2xi8")))
    )
    assert one.arguments == (Literal(4, INDEX), n, T, Literal(7, INDEX), MADE)
    assert one.ties == (4, None)
    assert one.tied == ((one.outputs[0], MADE),)
    untied = read(generic("flow.dispatch", 4, T, operandSegmentSizes=(1, 1, 0, 0)))
    assert untied.ties == (None,)


def test_an_op_with_regions_is_not_known() -> None:
    with pytest.raises(UnsupportedOperationError, match="an op with regions"):
        read(generic("flow.dispatch", T)._replace(regions=(Region(()),)))


def test_an_op_without_a_form_of_its_own_is_printed_as_any_other() -> None:
    strange = on_tensors(
        "flow.tensor.encode", (T, 4), gives=MADE, attributes=(("stream.affinity", ON_A),)
    )
    assert strange.assembly() == (
        f'%made = "flow.tensor.encode"(%t, %c4) {{stream.affinity = {ON_A}}} '
        ": (tensor<16xi8>, index) -> (tensor<16xi8>)"
    )


def test_ops_in_their_own_forms() -> None:
    """Formats of `FlowOps.td` and `HALOps.td`."""
    row = tensor("row", "?x2xi16")
    n = Value("n", INDEX)
    forms = {
        "%made = flow.tensor.alloca : tensor<16xi8>": on_tensors("flow.tensor.alloca", gives=MADE),
        "%row = flow.tensor.empty : tensor<?x2xi16>{%n}": on_tensors(
            "flow.tensor.empty", (n,), gives=row
        ),
        f"%row = flow.tensor.transfer %row : tensor<?x2xi16>{{%n}} to {ON_A}": on_tensors(
            "flow.tensor.transfer", (row, n), gives=row, attributes=(("target", ON_A),)
        ),
        "%row = hal.tensor.import wait(%fence) => consume %view : !hal.buffer_view -> "
        "tensor<?x2xi16>{%n}": on_tensors(
            "hal.tensor.import", (VIEW,), (n,), (FENCE_OUT,), gives=row,
            attributes=(("consume", "unit"),),
        ),
        f"%view = hal.tensor.export on({ON_A}) %row : tensor<?x2xi16>{{%n}} -> "
        "!hal.buffer_view": on_tensors(
            "hal.tensor.export", (row, n), gives=VIEW, attributes=(("affinity", ON_A),)
        ),
        "%made, %row = flow.dispatch @ex::@k[%c4](%row, %t) : (tensor<?x2xi16>{%n}, "
        "tensor<16xi8>) -> (tensor<16xi8>, %t as tensor<?x2xi16>{%n})": on_tensors(
            "flow.dispatch", (4,), (row, T), (n,), (n,), gives=(MADE, row), ties=(None, 2),
            attributes=(("entry_points", "[@ex::@k]"),),
        ),
    }  # fmt: skip
    assert {one.assembly() for one in forms.values()} == set(forms)
