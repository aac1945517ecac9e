"""Two programs made one: a function of the other runs behind one of this, in one body."""

from __future__ import annotations

from dataclasses import replace

from gen.choices import Choices
from gen.mutation.edits import defined, mapped, put, returns, with_signature
from gen.mutation.insert_transfer import transfer
from gen.mutation.material import Material
from reference.contracts.renaming import affinities, rename_devices
from reference.ir import Block, Function, Operation, Program, Region, map_operations
from reference.ops import Call, GlobalLoad, GlobalStore, Return
from reference.types import Value
from reference.verifier.wellformed import homes_of

_LINKED = 0.7
_OF_ONE_SIZE = 0.8


def splice(material: Material) -> Program | None:
    """Takes a function of one block from each. What both take and give stands side by side; often
    something that the first makes is what the second takes, sent there where it has to be."""
    choices = material.choices
    if not material.others:
        return None
    other = _on_our_devices(choices.pick(material.others), material)
    ours = [(place, one) for place, one in material.functions if _plain(one)]
    theirs = [one for one in other.functions if _plain(one)]
    if not ours or not theirs:
        return None
    place, first = choices.pick(ours)
    second = _of_our_sizes(first, _renamed(choices.pick(theirs), material), choices)
    one, two = first.entry, second.entry
    (end,), (other_end,) = returns(first), returns(second)
    behind = tuple(op for op in two.operations if op is not other_end)
    arguments = two.arguments
    link: tuple[Operation, ...] = ()
    if choices.chance(_LINKED):
        linked = _link(material, place, first, second, other)
        if linked is not None:
            taken, link, given = linked

            def from_first(value: Value) -> Value:
                return given if value == taken else value

            behind = mapped(behind, from_first)
            other_end = mapped(other_end, from_first)
            arguments = tuple(value for value in arguments if value != taken)
    joined = replace(end, values=(*end.values, *other_end.values))
    body = put(first, end.identity, (*link, *behind, joined)).body
    entry = Block(body.blocks[0].operations, (*one.arguments, *arguments))
    function = with_signature(replace(first, body=replace(body, blocks=(entry,))))
    program = material.changed(place, function)
    return replace(program, devices=tuple(dict.fromkeys((*program.devices, *other.devices))))


def _plain(function: Function) -> bool:
    """Whether a function is a public one of one block that names nothing else of its module."""
    if function.is_declaration or len(function.body.blocks) != 1 or not function.public:
        return False
    names = any(isinstance(op, Call | GlobalLoad | GlobalStore) for op in function.entry.operations)
    return not names and isinstance(function.entry.operations[-1], Return)


def _on_our_devices(other: Program, material: Material) -> Program:
    """The other program on the devices of this one, as far as there are enough."""
    named = sorted({one.device for one in affinities(other)})
    ours = list(material.program.devices)
    start = material.choices.integer(0, max(len(ours) - 1, 0))
    spare = [one for one in named if one not in ours]
    names = dict(zip(named, [*ours[start:], *ours[:start], *spare], strict=False))
    return rename_devices(replace(other, devices=tuple(named)), names)


def _renamed(function: Function, material: Material) -> Function:
    """The function with names and identities that are new."""
    names: dict[str, str] = {}

    def value(old: Value) -> Value:
        name, mark, rest = old.name.partition("#")
        if name not in names:
            names[name] = material.name()
        return replace(old, name=f"{names[name]}{mark}{rest}")

    def identified(operation: Operation) -> Operation:
        return replace(operation, identity=material.name())

    renamed = mapped(function, value)
    return replace(renamed, body=map_operations(renamed.body, identified))


def _of_our_sizes(first: Function, second: Function, choices: Choices) -> Function:
    """The second with the lengths of the first, where both have some that the caller says."""
    ours, theirs = _sizes(first), _sizes(second)
    if not ours or not theirs or not choices.chance(_OF_ONE_SIZE):
        return second
    given = {value.name: choices.pick(ours) for value in theirs}
    made = mapped(second, lambda value: given.get(value.name, value))
    entry = made.entry
    kept = tuple(
        value
        for value, old in zip(entry.arguments, second.arguments, strict=True)
        if old.name not in given
    )
    return replace(made, body=Region((Block(entry.operations, kept),)))


def _sizes(function: Function) -> list[Value]:
    """The arguments that say how long a resource is."""
    values = (*function.arguments, *defined(function))
    names = {value.size.name for value in values if isinstance(value.size, Value)}
    return [value for value in function.arguments if value.name in names]


def _link(
    material: Material, place: int, first: Function, second: Function, other: Program
) -> tuple[Value, tuple[Operation, ...], Value] | None:
    """An argument of the second, and what of the first stands for it, with what sends it there."""
    choices = material.choices
    made = [value for op in first.entry.operations for value in op.results]
    pairs = [
        (taken, given)
        for taken in second.arguments
        if taken.lifetime is not None
        for given in (*first.arguments, *made)
        if given.type == taken.type and given.size is not None and given.size == taken.size
    ]
    if not pairs:
        return None
    taken, given = choices.pick(pairs)
    probe = replace(other, functions=(second,), globals=(), initializers=())
    known = homes_of(probe).of((0, taken.name))
    there = None if known is None else known[0]
    here = material.homes()(place, given)
    if here is None or there is None or here.device == there.device:
        return taken, (), given
    assert given.lifetime is not None
    sent = transfer(material, given, here, there, given.lifetime)
    return taken, (sent,), sent.result
