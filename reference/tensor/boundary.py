"""What a program shares with its caller, as buffer views.

A public function of ours may take and return resources as they are; a framework's takes and returns
tensors, which IREE hands over as buffer views
(compiler/src/iree/compiler/Bindings/Native/Transforms/WrapEntryPoints.cpp).
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from reference.ir import Block, Function, Operation, Program, Region
from reference.ops import Export, Import, Return, Transfer
from reference.tensor.expression import InexpressibleError
from reference.types import BUFFER_VIEW, RESOURCES, Lifetime, Scalar, Value


def with_views(program: Program) -> Program:
    """The program with public functions that take and return buffer views instead of resources."""
    return replace(program, functions=tuple(map(_function, program.functions)))


def encoding(value: Value) -> tuple[str, tuple[Value, ...]]:
    """The tensor type of a resource's bytes, and its open dimensions."""
    if isinstance(value.size, Value):
        return "tensor<?xi8>", (value.size,)
    return f"tensor<{value.size}xi8>", ()


def _function(function: Function) -> Function:
    shared = any(value.is_resource for value in function.arguments)
    given = any(kind.tracked for kind in function.result_types)
    if not function.public or function.is_declaration or not (shared or given):
        return function
    if function.ties:
        raise InexpressibleError("a public function with results tied to its arguments")
    names = _Names(function)
    arguments, imports = [], []
    for place, value in enumerate(function.arguments):
        if not value.is_resource:
            arguments.append(value)
            continue
        view = Value(names.fresh(), BUFFER_VIEW)
        arguments.append(view)
        imports += list(_imported(f"{function.name}.argument{place}", view, value, names))
    first, *rest = function.body.blocks
    blocks = [Block((*imports, *first.operations), tuple(arguments)), *rest]
    body = Region(tuple(_returning(block, names) for block in blocks))
    types = tuple(BUFFER_VIEW if kind.tracked else kind for kind in function.result_types)
    return replace(function, body=body, result_types=types)


def _imported(
    identity: str, view: Value, value: Value, names: _Names
) -> Generator[Operation, None, None]:
    if value.size is None:
        raise InexpressibleError(f"%{value.name}, of which nothing says how long it is")
    if value.lifetime is Lifetime.STAGING:
        raise InexpressibleError("staging memory of the caller's")
    external = value.lifetime is Lifetime.EXTERNAL
    held = value if external else Value(names.fresh(), RESOURCES[Lifetime.EXTERNAL], value.size)
    told, open_ones = encoding(held)
    yield Import(
        identity=identity,
        source=view,
        encoding=told,
        dimensions=open_ones,
        result=held,
        affinity=None,
    )
    if not external:
        yield Transfer(
            identity=f"{identity}.lifetime",
            source=held,
            result=value,
            source_affinity=None,
            target_affinity=None,
        )


def _returning(block: Block, names: _Names) -> Block:
    *operations, last = block.operations
    if not isinstance(last, Return):
        return block
    values: list[Scalar] = []
    for place, item in enumerate(last.values):
        if not isinstance(item, Value) or not item.is_resource:
            values.append(item)
            continue
        if item.lifetime is Lifetime.STAGING:
            raise InexpressibleError("staging memory that is returned")
        identity = f"{last.identity}.result{place}"
        if item.lifetime is not Lifetime.EXTERNAL:
            outer = Value(names.fresh(), RESOURCES[Lifetime.EXTERNAL], item.size)
            operations.append(
                Transfer(
                    identity=f"{identity}.lifetime",
                    source=item,
                    result=outer,
                    source_affinity=None,
                    target_affinity=None,
                )
            )
            item = outer
        view = Value(names.fresh(), BUFFER_VIEW)
        told, open_ones = encoding(item)
        operations.append(
            Export(
                identity=identity,
                source=item,
                encoding=told,
                dimensions=open_ones,
                result=view,
                affinity=None,
            )
        )
        values.append(view)
    return Block((*operations, replace(last, values=tuple(values))), block.arguments)


class _Names:
    """Names that no value of a function has."""

    def __init__(self, function: Function) -> None:
        self._prefix = "view"
        taken = {value.name for value in _all_values(function.body)}
        while any(name.startswith(self._prefix) for name in taken):
            self._prefix += "_"
        self._made = 0

    def fresh(self) -> str:
        """Another name."""
        self._made += 1
        return f"{self._prefix}{self._made - 1}"


def _all_values(region: Region) -> Generator[Value, None, None]:
    for block in region.blocks:
        yield from block.arguments
        for operation in block.operations:
            yield from operation.results
            for inner in operation.regions:
                yield from _all_values(inner)
