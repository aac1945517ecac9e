"""Constructs: each there when its switch is on and gone when off, and loops that end."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from gen.constructs.registry import CONSTRUCTS
from gen.profiles import PROFILES, Level, Profile, profile_named
from gen.programs import program
from reference.affinity import ANY_QUEUE, Affinity
from reference.ir import Block, Operation, Program, Region, walk
from reference.ops import (
    OPERATIONS,
    Await,
    Branch,
    Call,
    ChainExternal,
    Concurrent,
    Condition,
    ConditionalBranch,
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
    OpaqueEffect,
    OpaqueOperation,
    OptimizationBarrier,
    ResourceSize,
    Return,
    Select,
    StreamYield,
    TimepointExport,
    TimepointImport,
    Transients,
    While,
)
from reference.ops.command import COMMAND_OPERATIONS
from reference.types import Lifetime, Literal, ResourceType, ScalarType, Value, known_bytes

NIGHTLY = profile_named("nightly")
NEVER_IN_INPUT = {
    Execute, Concurrent, StreamYield, OpaqueEffect, OpaqueOperation,
    *COMMAND_OPERATIONS.values(),
}  # fmt: skip
"""What only passes make, and what stands for ops that the model does not know."""

Feature = Callable[[Program], bool]


def many(profile: Profile, count: int) -> Iterator[Program]:
    """The first programs of seed 7."""
    return (program(7, index, profile) for index in range(count))


def any_op(wanted: Callable[[Operation], bool]) -> Feature:
    """Whether some op of a program is wanted."""
    return lambda made: any(map(wanted, made.operations()))


def has(*kinds: type[Operation]) -> Feature:
    """Whether there is an op of these kinds."""
    return any_op(lambda op: isinstance(op, kinds))


def names_queues(op: Operation) -> bool:
    return op.execution_affinity is not None and op.execution_affinity.queues != ANY_QUEUE


def has_loop(made: Program) -> bool:
    """Whether a block leads back to one before it, or to itself."""
    return any(
        successor.block <= place
        for body in made.bodies()
        for place, block in enumerate(body.blocks)
        for successor in block.operations[-1].successors
    )


def returns_twice(made: Program) -> bool:
    return any(
        sum(isinstance(op, Return) for op in walk(function.body)) > 1 for function in made.functions
    )


def host_op(name: str) -> Feature:
    """Whether the host computes by that op."""
    return any_op(lambda op: isinstance(op, HostScalar) and op.name == name)


def blocks_of(made: Program) -> Iterator[Block]:
    """All blocks, of functions and within ops."""
    for body in made.bodies():
        yield from body.blocks
        for op in walk(body):
            yield from (block for region in op.regions for block in region.blocks)


def neighbours(wanted: Callable[[Operation, Operation], bool]) -> Feature:
    """Whether two ops next to each other are wanted."""
    return lambda made: any(
        wanted(one, other)
        for block in blocks_of(made)
        for one, other in itertools.pairwise(block.operations)
    )


def made_by(wanted: Callable[[Operation, Operation], bool]) -> Feature:
    """Whether an op and one that makes an operand of it are wanted."""

    def found(made: Program) -> bool:
        for body in made.bodies():
            makers = {value.name: op for op in walk(body) for value in op.results}
            pairs = [(op, makers.get(value.name)) for op in walk(body) for value in op.operands]
            if any(maker is not None and wanted(op, maker) for op, maker in pairs):
                return True
        return False

    return found


def waits_for_nothing(made: Program) -> bool:
    """Whether timepoints are joined that are all reached from the start."""
    start = {op.result for op in made.operations() if isinstance(op, Immediate)}
    return any(isinstance(op, Join) and start >= set(op.sources) for op in made.operations())


def adjoin(one: Operation, other: Operation) -> bool:
    """Whether two fills with one pattern are next to each other in memory, too."""
    if not isinstance(one, Fill) or not isinstance(other, Fill) or other.target != one.result:
        return False
    ends = {one.span.end, other.span.end}
    return one.pattern == other.pattern and bool(ends & {one.span.start, other.span.start})


CONSTRUCT_FEATURES: dict[str, Feature] = {
    "if": has(If),
    "for": has(For),
    "while": has(While),
    "diamond": has(ConditionalBranch),
    "loop": has_loop,
    "select": has(Select),
    "optimization_barrier": has(OptimizationBarrier),
    "call": has(Call),
    "global_load": has(GlobalLoad),
    "global_store": has(GlobalStore),
    "global_update": has(GlobalLoad),
    "fence": has(TimepointImport),
    "signal": has(ChainExternal),
    "await": has(Await),
    "transients": has(Transients),
    "if_pair": neighbours(lambda one, other: isinstance(one, If) and isinstance(other, If)),
    "while_form": has(While),
    "block_form": has(ConditionalBranch),
    "select_pair": made_by(lambda op, maker: isinstance(op, Select) and isinstance(maker, Select)),
    "computed_size": host_op("util.align"),
    "computed_number": host_op("arith.divui"),
    "asked_size": has(ResourceSize),
    "bitcast": host_op("arith.bitcast"),
    "view_back": made_by(lambda op, maker: isinstance(op, Import) and isinstance(maker, Export)),
    "fills": neighbours(adjoin),
    "fence_back": made_by(
        lambda op, maker: (
            isinstance(op, TimepointExport | ChainExternal) and isinstance(maker, TimepointImport)
        )
    ),
    "immediate": waits_for_nothing,
}
"""What shows that a construct was generated, where no other is."""

PROBABILITY_FEATURES: dict[str, Feature] = {
    "queue_subsets": any_op(names_queues),
    "module_default": lambda made: made.default_affinity is not None,
    "function_default": lambda made: any(one.default_affinity for one in made.functions),
    "topology": lambda made: made.topology is not None,
    "second_entry": lambda made: sum(one.public for one in made.functions) > 1,
    "consumed": any_op(lambda op: isinstance(op, Import) and op.consume),
    "early_return": returns_twice,
    "one_sided_if": any_op(lambda op: isinstance(op, If) and not op.otherwise.blocks),
    "never_inlined": lambda made: any(one.attributes for one in made.functions),
    "computed_conditions": host_op("arith.extui"),
    "loop_bounds": any_op(lambda op: isinstance(op, For) and op.lower != 0),
}
"""What shows that a probability is not 0."""


def test_every_construct_has_a_feature() -> None:
    assert set(CONSTRUCT_FEATURES) == set(CONSTRUCTS)


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_a_construct_alone_is_generated(name: str) -> None:
    alone = replace(profile_named("small"), constructs=((name, 3.0),))
    assert any(map(CONSTRUCT_FEATURES[name], many(alone, 100)))


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_a_construct_without_weight_is_not(name: str) -> None:
    """No other construct shows what this one alone does."""
    hidden_by = {
        # Waiting belongs to fences and transients too, branching to loops, and globals are stored
        # to by their initializers.
        "await": {"fence", "transients", "immediate"},
        "diamond": {"loop", "block_form"},
        "global_load": {"global_update"},
        "global_store": {"global_load", "global_update", "if", "if_pair"},
        "global_update": {"global_load"},
        # What is simplified is made of the same ops.
        "fence": {"fence_back"},
        "signal": {"fence_back"},
        "if": {"if_pair", "while_form"},
        "while": {"while_form"},
        "select": {"select_pair", "asked_size", "while_form", "block_form", "computed_number"},
        "if_pair": {"if", "while_form"},
        "while_form": {"while"},
        "block_form": {"diamond", "loop"},
        "select_pair": {"select", "asked_size", "while_form", "block_form"},
    }
    gone = {name} | hidden_by.get(name, set())
    rest = tuple((one, weight) for one, weight in NIGHTLY.constructs if one not in gone)
    without = replace(NIGHTLY, constructs=rest, early_return=0.0)
    assert not any(map(CONSTRUCT_FEATURES[name], many(without, 150)))


@pytest.mark.parametrize("name", PROBABILITY_FEATURES)
def test_probabilities_turn_features_on_and_off(name: str) -> None:
    feature = PROBABILITY_FEATURES[name]
    assert any(map(feature, many(replace(NIGHTLY, **{name: 0.7}), 150)))
    # What pairs of ifs store, they store in ifs without results, too.
    rest = tuple(pair for pair in NIGHTLY.constructs if pair[0] != "if_pair")
    off = replace(NIGHTLY, queues=0.0, constructs=rest, **{name: 0.0})
    assert not any(map(feature, many(off, 150)))


@pytest.mark.parametrize("name", ["default", "well-formed", "placement", "stream", "small"])
def test_profiles_of_straight_programs_have_no_constructs(name: str) -> None:
    features = [*CONSTRUCT_FEATURES.values(), *PROBABILITY_FEATURES.values()]
    for made in many(replace(profile_named(name), queues=0.0), 150):
        assert not any(feature(made) for feature in features)
        assert len(made.functions) == 1
        assert not made.globals


def test_nightly_weighs_everything() -> None:
    assert {name for name, weight in NIGHTLY.constructs if weight} == set(CONSTRUCTS)
    assert all(getattr(NIGHTLY, name) > 0 for name in PROBABILITY_FEATURES)


def test_nightly_generates_every_op_of_the_input() -> None:
    found = {type(op) for made in many(NIGHTLY, 1200) for op in made.operations()}
    assert set(OPERATIONS.values()) - NEVER_IN_INPUT <= found
    assert not found & NEVER_IN_INPUT


def test_nightly_calls_a_function_from_several_places() -> None:
    def callers(made: Program) -> int:
        names = [op.callee for op in made.operations() if isinstance(op, Call)]
        return max(map(names.count, names), default=0)

    assert sum(callers(made) > 1 for made in many(NIGHTLY, 300)) >= 6


def test_nightly_programs_are_of_a_size_for_people() -> None:
    lengths = [sum(1 for _ in made.operations()) for made in many(NIGHTLY, 600)]
    assert 12 <= sum(lengths) / len(lengths) <= 20


@pytest.mark.parametrize("name", ["nightly", "control-flow", "calls", "globals", "timepoints"])
def test_functions_give_something_back(name: str) -> None:
    """Values matter: a program that returns nothing and stores nothing shows nothing."""
    made = list(many(profile_named(name), 400))
    silent = [
        one for one in made if not one.functions[0].result_types and not has(GlobalStore)(one)
    ]
    assert len(silent) <= len(made) * 0.02


@pytest.mark.parametrize("name", ["nightly", "nightly-valid", "control-flow", "calls", "globals"])
def test_few_ops_are_dead(name: str) -> None:
    total = dead = 0
    for made in many(profile_named(name), 300):
        for body in made.bodies():
            operations = list(walk(body))
            total += len(operations)
            dead += len(operations) - len(live(operations))
    assert dead / total <= 0.04


def live(operations: list[Operation]) -> set[int]:
    """The positions of ops that an op with an effect or a terminator needs."""
    makers = {value.name: place for place, op in enumerate(operations) for value in op.results}
    found = {
        place
        for place, op in enumerate(operations)
        if op.terminator or op.regions or op.side_effects
    }
    pending = list(found)
    while pending:
        for value in operations[pending.pop()].operands:
            maker = makers.get(value.name)
            if maker is not None and maker not in found:
                found.add(maker)
                pending.append(maker)
    return found


# What public functions are given, and that loops end.


@pytest.mark.parametrize("name", PROFILES)
def test_scalar_arguments_of_public_functions_are_known(name: str) -> None:
    for made in many(profile_named(name), 150):
        for function in made.functions:
            for value in function.arguments:
                if function.public and isinstance(value.type, ScalarType):
                    assert value.known is not None, value


@pytest.mark.parametrize("name", ["nightly", "control-flow"])
def test_loops_end(name: str) -> None:
    """Counted loops have a positive step and an end that no turn changes; others count down."""
    for made in many(profile_named(name), 400):
        for body in made.bodies():
            makers = {value.name: op for op in walk(body) for value in op.results}
            for op in walk(body):
                if isinstance(op, For):
                    assert known_bytes(op.step) == 1
                    assert (known_bytes(op.upper) or 0) <= 3
                elif isinstance(op, While):
                    assert counts_down(op, makers)


def counts_down(loop: While, makers: dict[str, Operation]) -> bool:
    """Whether the first value that a loop carries is one less each turn, or false after one."""
    asked = loop.before.blocks[0].operations[-1]
    handed = loop.after.blocks[0].operations[-1].operands
    assert isinstance(asked, Condition)
    counter = loop.before.blocks[0].arguments[0]
    if not depends_on(asked.condition, counter, makers):
        return False
    first = loop.after.blocks[0].operations[-1].inputs[0]
    if isinstance(first, Literal):
        return first.value == 0
    assert first in handed
    less = makers[first.name]
    return isinstance(less, HostScalar) and less.name == "arith.subi"


def depends_on(value: object, counter: Value, makers: dict[str, Operation]) -> bool:
    """Whether a condition is false once the counter is 0: the counter, compared, and all else."""
    if value == counter:
        return True
    maker = makers.get(value.name) if isinstance(value, Value) else None
    if not isinstance(maker, HostScalar):
        return False
    assert maker.name in ("arith.cmpi", "arith.andi")
    return any(depends_on(operand, counter, makers) for operand in maker.operands)


def test_conditions_come_from_all_that_the_host_can_tell() -> None:
    found = set()
    for made in many(profile_named("control-flow"), 600):
        for body in made.bodies():
            makers = {value.name: op for op in walk(body) for value in op.results}
            for op in walk(body):
                if isinstance(op, If | ConditionalBranch | Select):
                    found |= origins(op.condition, makers)
    assert found == {"argument", "loaded"}


def origins(value: object, makers: dict[str, Operation]) -> set[str]:
    """Where a condition comes from in the end."""
    if not isinstance(value, Value):
        return set()
    maker = makers.get(value.name)
    if isinstance(maker, Load):
        return {"loaded"}
    if isinstance(maker, HostScalar):
        return {origin for operand in maker.operands for origin in origins(operand, makers)}
    return {"argument"}


def test_stream_level_hands_on_one_lifetime() -> None:
    """What blocks, regions and calls are given is `*`; globals are variable or constant."""
    profile = replace(NIGHTLY, level=Level.STREAM)
    allowed = {Lifetime.UNKNOWN, Lifetime.STAGING, None}
    for made in many(profile, 200):
        for held in made.globals:
            if isinstance(held.type, ResourceType):
                lifetime = Lifetime.VARIABLE if held.mutable else Lifetime.CONSTANT
                assert held.type.lifetime is lifetime
        for body in made.bodies():
            inner = [block for op in walk(body) for region in op.regions for block in region.blocks]
            for block in (*body.blocks[1:], *inner):
                assert {value.lifetime for value in block.arguments} <= allowed
            for op in walk(body):
                if isinstance(op, Call | If | For | While | Select):
                    assert {value.lifetime for value in op.results} <= allowed


# Homes.


def test_default_homes_go_without_saying() -> None:
    """Where a default affinity holds, ops that live there may name none."""
    profile = replace(NIGHTLY, module_default=1.0, omitted=0.0, absent_home=0.0)
    silent = sum(
        op.takes_affinity and op.execution_affinity is None
        for made in many(profile, 60)
        for op in made.operations()
    )
    assert silent > 20


def test_mixed_homes_meet_at_block_arguments() -> None:
    """Only where the profile says so do branches hand on values of two devices."""

    def handed(made: Program) -> set[tuple[str, str]]:
        return {pair for body in made.bodies() for pair in meeting_homes(body)}

    mixed = replace(NIGHTLY, mixed_homes=1.0, constructs=(("if", 4.0),))
    assert any(map(handed, many(mixed, 150)))
    assert not any(map(handed, many(replace(mixed, mixed_homes=0.0), 150)))


def meeting_homes(body: Region) -> Iterator[tuple[str, str]]:
    """The devices of what the regions of an `scf.if` yield, where ops say two different ones."""
    homes: dict[str, Affinity | None] = {}
    for op in walk(body):
        home = getattr(op, "target_affinity", None) or op.execution_affinity
        homes.update((value.name, home) for value in op.results)
    for op in walk(body):
        if isinstance(op, If) and op.otherwise.blocks:
            sides = (region.blocks[0].operations[-1].operands for region in op.regions)
            for one, other in zip(*sides, strict=True):
                left, right = homes.get(one.name), homes.get(other.name)
                if left and right and left.device != right.device:
                    yield left.device, right.device


def test_branches_lead_to_blocks_that_take_what_they_hand_on() -> None:
    for made in many(profile_named("control-flow"), 200):
        for body in made.bodies():
            for block in body.blocks:
                last = block.operations[-1]
                assert last.terminator
                if isinstance(last, Branch | ConditionalBranch):
                    for successor in last.successors:
                        taken = [value.type for value in body.blocks[successor.block].arguments]
                        given = [
                            item.type
                            for item in successor.arguments
                            if isinstance(item, Value | Literal)
                        ]
                        assert given == taken
