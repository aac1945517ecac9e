"""Programs as MLIR text in IREE's custom assembly, one op a line.

The same program is always the same text. Constants stand at the top of the function that uses
them, in the order of type and value: its entry block dominates all others, and every region within
sees them. Each op ends in the location that is its identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reference.ir import UNKNOWN_PLACE, Block, Function, Global, Operation, Program, Region, walk
from reference.ops.assembly import literal_name
from reference.tensor.lift import lifted
from reference.types import INDEX, Literal, Value

_INDENT = "  "
_PROPERTIES = frozenset({"inlining_policy"})
"""What a global has beside its attributes, of what the model keeps without looking at it
(compiler/src/iree/compiler/Dialect/Util/IR/UtilOps.td, GlobalOp)."""


def print_program(program: Program, locations: bool = True) -> str:
    """The module as text; `locations=False` leaves identities out, for people to read.

    Raises InexpressibleError for a program to be written on tensors that has no form there.
    """
    if program.tensors:
        program = lifted(program)
    attributes = [
        f"{name} = {attribute}"
        for name, attribute in (
            ("stream.affinity.default", program.default_affinity),
            ("stream.topology", program.topology),
        )
        if attribute is not None
    ]
    given = f" attributes {{{', '.join(attributes)}}}" if attributes else ""
    lines = [f"module{given} {{"]
    lines += [f"  util.global private @{device} : !hal.device" for device in program.devices]
    lines += [f"  {_global(item)}" for item in program.globals]
    for initializer in program.initializers:
        lines.append("  util.initializer {")
        lines += _body(initializer.body, locations)
        lines.append("  }")
    for function in program.functions:
        lines += _function(function, locations)
    lines.append("}")
    return "\n".join(lines) + "\n"


def _global(item: Global) -> str:
    if any(name in _PROPERTIES for name, _ in item.attributes):
        return _generic_global(item)
    visibility = "public" if item.public else "private"
    mutable = "mutable " if item.mutable else ""
    pairs = [f"{name} = {text}" for name, text in item.attributes]
    if item.affinity is not None:
        pairs.append(f"stream.affinity = {item.affinity}")
    attributes = f" {{{', '.join(pairs)}}}" if pairs else ""
    initial = "" if item.initial is None else f" = {item.initial}"
    return f"util.global {visibility} {mutable}@{item.name}{attributes} : {item.type}{initial}"


def _generic_global(item: Global) -> str:
    """A global in the form of any op: releases differ in how their own form has its properties."""
    properties = [f'sym_name = "{item.name}"', f"type = {item.type}"]
    if not item.public:
        properties.append('sym_visibility = "private"')
    if item.mutable:
        properties.append("is_mutable")
    if item.initial is not None:
        properties.append(f"initial_value = {item.initial}")
    others: list[str] = []
    for name, text in item.attributes:
        (properties if name in _PROPERTIES else others).append(f"{name} = {text}")
    if item.affinity is not None:
        others.append(f"stream.affinity = {item.affinity}")
    attributes = f" {{{', '.join(others)}}}" if others else ""
    return f'"util.global"() <{{{", ".join(properties)}}}>{attributes} : () -> ()'


def _function(function: Function, locations: bool) -> Iterator[str]:
    # The arguments of a declaration are named so that results can be tied to them.
    named = function.arguments or tuple(
        Value(f"arg{place}", kind) for place, kind in enumerate(function.declared)
    )
    arguments = ", ".join(f"%{value.name}: {value.type}" for value in named)
    results = ", ".join(_result_types(function, named))
    arrow = f" -> ({results})" if results else ""
    visibility = "public" if function.public else "private"
    pairs = [f"{name} = {text}" for name, text in function.attributes]
    if function.default_affinity is not None:
        pairs.append(f"stream.affinity.default = {function.default_affinity}")
    attributes = f" attributes {{{', '.join(pairs)}}}" if pairs else ""
    head = f"  util.func {visibility} @{function.name}({arguments}){arrow}{attributes}"
    if function.is_declaration:
        yield head
        return
    yield f"{head} {{"
    yield from _body(function.body, locations)
    yield "  }"


def _result_types(function: Function, arguments: tuple[Value, ...]) -> Iterator[str]:
    ties = function.ties or (None,) * len(function.result_types)
    for kind, tie in zip(function.result_types, ties, strict=True):
        if tie is None:
            yield str(kind)
        elif arguments[tie].type == kind:
            yield f"%{arguments[tie].name}"
        else:
            yield f"%{arguments[tie].name} as {kind}"


def _body(body: Region, locations: bool) -> Iterator[str]:
    for literal in literals(walk(body)):
        yield f"    %{literal_name(literal)} = arith.constant {_number(literal)} : {literal.type}"
    for position, block in enumerate(body.blocks):
        if position:
            yield f"  {_label(position, block)}"
        for operation in block.operations:
            yield from _operation(operation, 2 * _INDENT, locations)


def _location(identity: str) -> str:
    unknown = identity.partition("~")[0] == UNKNOWN_PLACE
    return f" loc({UNKNOWN_PLACE})" if unknown else f' loc("{identity}")'


def _operation(operation: Operation, indent: str, locations: bool) -> Iterator[str]:
    identity = _location(operation.identity) if locations else ""
    regions = operation.regions
    if not regions:
        yield f"{indent}{operation.assembly()}{identity}"
        return
    *pieces, last = operation.assembly_pieces()
    printed = (region for region in regions if region.blocks)
    for piece, region in zip(pieces, printed, strict=True):
        yield f"{indent}{piece}"
        (block,) = region.blocks
        if operation.labels_region(region):
            yield f"{indent}{_label(0, block)}"
        for nested in block.operations:
            yield from _operation(nested, indent + _INDENT, locations)
    yield f"{indent}{last}{identity}"


def _label(position: int, block: Block) -> str:
    arguments = ", ".join(f"%{value.name}: {value.type}" for value in block.arguments)
    return f"^bb{position}({arguments}):" if arguments else f"^bb{position}:"


def literals(operations: Iterable[Operation]) -> tuple[Literal, ...]:
    """Every constant that the ops take (sizes, offsets, patterns), in the order of printing."""
    # By name, not by equality: 0.0 and -0.0 are equal, 1 and 1.0 too, and each needs its line.
    found: dict[str, Literal] = {}
    indices: set[int] = set()
    for operation in operations:
        for item in operation.inputs:
            if isinstance(item, int):
                indices.add(item)
            elif isinstance(item, Literal):
                found[literal_name(item)] = item
    for number in indices:
        literal = Literal(number, INDEX)
        found[literal_name(literal)] = literal
    return tuple(
        found[name]
        for name in sorted(found, key=lambda name: (str(found[name].type), found[name].value, name))
    )


def decimal(value: float) -> str:
    """A float as MLIR reads it: it has a point."""
    text = str(value)
    if "." in text:
        return text
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}.0{e}{exponent}"


def _number(literal: Literal) -> str:
    return decimal(literal.value) if literal.type.name.startswith("f") else str(literal.value)
