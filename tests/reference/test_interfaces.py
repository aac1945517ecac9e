"""What IREE's interfaces say of each op, side by side, as StreamOps.td and UtilOps.td have it."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from language import LANGUAGE
from samples import SAMPLES, B, function

from reference.ir import GenericOperation, Operation, UnsupportedOperationError, walk
from reference.ops import (
    OPERATIONS,
    Alloca,
    Await,
    Barrier,
    Branch,
    Call,
    Cast,
    ChainExternal,
    Clone,
    Concurrent,
    Condition,
    ConditionalBranch,
    Constant,
    Copy,
    Dispatch,
    Execute,
    Export,
    Fill,
    For,
    GlobalLoad,
    GlobalStore,
    HostScalar,
    If,
    Immediate,
    Import,
    Join,
    Load,
    OpaqueOperation,
    OptimizationBarrier,
    ResourceSize,
    Return,
    Select,
    Slice,
    Splat,
    Store,
    StreamYield,
    TimepointBarrier,
    TimepointExport,
    TimepointImport,
    Transfer,
    Transients,
    Update,
    While,
    Yield,
)
from reference.ops.command import COMMAND_OPERATIONS
from reference.types import Value
from reference.verifier.problems import where

ALL = {**SAMPLES, **LANGUAGE}

STREAMABLE = {
    Alloca, Barrier, Clone, Concurrent, Constant, Copy, Dispatch, Fill, Slice, Splat, Transfer,
    Update,
}  # fmt: skip
"""`StreamableOpInterface`."""

PLACED = STREAMABLE | {
    Cast, ChainExternal, Execute, Export, Import, TimepointBarrier, TimepointExport,
    TimepointImport, Transients,
}  # fmt: skip
"""`AffinityOpInterface`."""

PINNING = {Export, Import, Transients}
"""`pinsValueAffinity`, where they have an affinity."""

EFFECTS = {Barrier, Call, ChainExternal, GlobalStore, OpaqueOperation, OptimizationBarrier}
"""Neither `Pure` nor only reading, by themselves."""

ERASED_BY_PATTERN = {Alloca, Clone, Copy, Fill, Splat, Update}
"""Not `Pure` either: a pattern erases those that nobody uses."""

WITHIN = {Concurrent, Execute, For}
"""`RecursiveMemoryEffects`; in their samples stands a clone, in those of the others nothing."""

TERMINATORS = {Branch, Condition, ConditionalBranch, Return, StreamYield, Yield}

WAITING = {Await, Execute, Join, Transients}
"""`TimelineOpInterface`, with something awaited in their samples."""

TIED = {
    Await, Barrier, Call, Cast, Copy, Dispatch, Execute, Export, Fill, Import, Store,
    TimepointBarrier, Transients, Update,
}  # fmt: skip
"""`TiedOpInterface`, with something tied in their samples."""

CLONED = {Alloca, Clone, Splat}
"""`preferCloneToConsumers`; a dispatch, too, when it takes no resource."""

NOTHING = {
    GlobalLoad, HostScalar, If, Immediate, Load, ResourceSize, Select, While,
}  # fmt: skip
"""None of all this in their samples."""


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_interfaces_of_an_op(kind: type[Operation]) -> None:
    sample = ALL[kind]
    assert sample.streamable == (kind in STREAMABLE)
    assert sample.takes_affinity == (kind in PLACED)
    assert sample.requires_affinity == (kind in PLACED)
    assert sample.side_effects == (kind in EFFECTS | WITHIN | TERMINATORS)
    assert sample.erasable == (kind not in ERASED_BY_PATTERN)
    assert sample.terminator == (kind in TERMINATORS)
    assert bool(sample.await_timepoints) == (kind in WAITING)
    assert bool(sample.tied) == (kind in TIED)
    assert sample.prefers_clone_to_consumers == (kind in CLONED)
    assert bool(sample.successors) == (kind in {Branch, ConditionalBranch})
    assert bool(sample.regions) == (kind in {Concurrent, Execute, For, If, While})


@pytest.mark.parametrize(
    "kind",
    sorted(PLACED - {Transfer}, key=lambda kind: kind.__name__),
    ids=lambda kind: kind.__name__,
)
def test_an_op_executes_where_it_says(kind: type[Operation]) -> None:
    placed, free = (replace(ALL[kind], affinity=affinity) for affinity in (B, None))  # type: ignore[call-arg]
    assert placed.execution_affinity == B
    assert free.execution_affinity is None
    assert placed.pins == (kind in PINNING)
    assert not free.pins


def test_each_op_is_in_a_list() -> None:
    named = STREAMABLE | PLACED | EFFECTS | TERMINATORS | WAITING | TIED | WITHIN | NOTHING
    # What commands are is told by `test_command_ops.py`.
    assert named == set(OPERATIONS.values()) - set(COMMAND_OPERATIONS.values())


def test_a_dispatch_without_resources_is_a_splat() -> None:
    dispatch = SAMPLES[Dispatch]
    assert isinstance(dispatch, Dispatch)
    assert replace(dispatch, arguments=(), ties=(None, None)).prefers_clone_to_consumers


def test_regions_are_replaced_as_they_were() -> None:
    for kind, sample in ALL.items():
        assert sample.with_regions(sample.regions) == sample, kind
    with pytest.raises(AssertionError):
        ALL[Clone].with_regions(ALL[If].regions)


def test_awaits_are_operands() -> None:
    for sample in ALL.values():
        assert set(sample.await_timepoints) <= set(sample.operands)


def test_an_op_without_assembly_or_reading_says_so() -> None:
    bare = Operation(identity="op0")
    with pytest.raises(NotImplementedError):
        bare.assembly()
    with pytest.raises(UnsupportedOperationError):
        Operation.from_generic(GenericOperation("some.op", "op0", (), (), {}))
    assert not bare.side_effects
    assert where(ALL[If]).endswith("(scf.if)")


def test_ops_with_regions_show_without_them() -> None:
    chosen = ALL[If]
    assert chosen.assembly() == (
        "%chosen = scf.if %choice -> (!stream.resource<transient>) { ... } else { ... }"
    )
    assert [op for op in walk(function(chosen).body) if op is not chosen]


def test_no_op_hides_a_value() -> None:
    """What a field holds is among operands, results or regions: passes over an op see all."""
    for sample in ALL.values():
        shown = {value.name for value in (*sample.operands, *sample.results)}
        for item in fields(sample):
            held = getattr(sample, item.name)
            if isinstance(held, Value):
                assert held.name in shown, (type(sample).__name__, item.name)
