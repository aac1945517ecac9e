"""A program of the Stream phase written on tensors.

Each resource is a tensor of bytes. An op on part of a resource becomes one on a slice of the
tensor, a pattern of several bytes a tensor of such elements seen as bytes, memory of the host a
tensor like any other, and a change of lifetime nothing at all: lifetimes are what IREE's conversion
gives (compiler/src/iree/compiler/Dialect/Stream/Conversion/FlowToStream/Patterns.cpp and
HALToStream/Patterns.cpp, which this undoes). Everything has the value that it had.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reference.ir import Block, Function, Initializer, Operation, Program, Region, walk
from reference.ops import (
    Branch,
    Call,
    Condition,
    ConditionalBranch,
    For,
    GlobalLoad,
    GlobalStore,
    HostScalar,
    If,
    OpaqueOperation,
    OptimizationBarrier,
    Return,
    Select,
    While,
    Yield,
)
from reference.tensor.boundary import with_views
from reference.tensor.expression import InexpressibleError
from reference.tensor.fences import Fences
from reference.tensor.making import Maker
from reference.tensor.retype import as_tensor, initial_type, tensor_type, with_values
from reference.tensor.work import WORK
from reference.types import Index, ResourceType, Scalar, TensorType, Type, Value, parse_type

_HOST = (
    Branch, Call, Condition, ConditionalBranch, For, GlobalLoad, GlobalStore, HostScalar, If,
    OpaqueOperation, OptimizationBarrier, Return, Select, While, Yield,
)  # fmt: skip
"""Ops that take tensors as they take resources."""


def lifted(program: Program) -> Program:
    """The program on tensors. Raises InexpressibleError for what a framework cannot say."""
    program = with_views(program)
    signatures = _Signatures(program)
    return replace(
        program,
        tensors=False,
        globals=tuple(
            replace(one, type=signatures.globals[one.name])
            if isinstance(one.type, ResourceType)
            else one
            for one in program.globals
        ),
        initializers=tuple(
            Initializer(_Lift(signatures, one.body).region(one.body))
            for one in program.initializers
        ),
        functions=tuple(_function(one, signatures) for one in program.functions),
    )


def expressible(program: Program) -> str | None:
    """What of a program has no form on tensors, by name; None where all of it has one."""
    try:
        lifted(program)
    except InexpressibleError as error:
        return str(error)
    return None


def _function(function: Function, signatures: _Signatures) -> Function:
    if function.is_declaration and any(kind.tracked for kind in function.declared):
        raise InexpressibleError(f"@{function.name}, which takes resources elsewhere")
    body = _Lift(signatures, function.body).region(function.body)
    return replace(function, body=body, result_types=signatures.results[function.name])


class _Signatures:
    """The types that functions and globals have on tensors."""

    def __init__(self, program: Program) -> None:
        self.arguments = {
            one.name: tuple(as_tensor(value) for value in one.arguments)
            for one in program.functions
        }
        self.results = {one.name: _results(one) for one in program.functions}
        self.globals: dict[str, Type] = {}
        initials = {one.name: one.initial for one in program.globals}
        for operation in program.operations():
            held: Scalar | None = None
            if isinstance(operation, GlobalStore):
                held = operation.source
            elif isinstance(operation, GlobalLoad):
                held = operation.result
            if isinstance(held, Value) and isinstance(held.type, ResourceType):
                symbol = getattr(operation, "symbol")  # noqa: B009
                if not isinstance(held.size, int):
                    raise InexpressibleError(f"@{symbol}, whose size only the caller knows")
                initial = initials.get(symbol)
                self.globals[symbol] = (
                    tensor_type(held.size)
                    if initial is None
                    else initial_type(symbol, initial, held.size)
                )
        for one in program.globals:
            if isinstance(one.type, ResourceType) and one.name not in self.globals:
                kind = None if one.initial is None else parse_type(one.initial.rpartition(" : ")[2])
                self.globals[one.name] = kind or tensor_type(1)


def _results(function: Function) -> tuple[Type, ...]:
    for operation in walk(function.body):
        if isinstance(operation, Return):
            return tuple(
                as_tensor(item).type if isinstance(item, Value) else item.type
                for item in operation.values
            )
    return function.result_types


class _Lift:
    """One body."""

    def __init__(self, signatures: _Signatures, body: Region) -> None:
        self._signatures = signatures
        self._maker = Maker(body, Fences(body))
        self._blocks: Sequence[Block] = body.blocks

    def region(self, region: Region) -> Region:
        """The region on tensors."""
        maker = self._maker
        blocks = []
        for block in region.blocks:
            maker.begin()
            for operation in block.operations:
                self._operation(operation)
            arguments = tuple(as_tensor(value) for value in block.arguments)
            blocks.append(Block(maker.end(), arguments))
        return Region(tuple(blocks))

    def _operation(self, operation: Operation) -> None:
        write = WORK.get(type(operation))
        if write is not None:
            write(self._maker, operation)
        elif isinstance(operation, _HOST):
            self._host(operation)
        else:
            raise InexpressibleError(f"{operation.mnemonic} ({operation.identity})")

    def _host(self, operation: Operation) -> None:
        """An op of the host: what it hands on is made to have the type that is expected there."""
        maker = self._maker
        regions = tuple(self.region(region) for region in operation.regions)
        fitted = {
            value.name: maker.reshaped(operation.identity, value, kind)
            for value, kind in self._wanted(operation)
            if maker.of(value).type != kind
        }
        raw = self._raw(operation)

        def written(value: Value) -> Value:
            return raw.get(value.name) or fitted.get(value.name) or maker.of(value)

        if isinstance(operation, HostScalar):
            maker.learn(operation)
        made = with_values(operation, written)
        maker.made.append(made.with_regions(regions) if regions else made)
        for name, value in raw.items():
            (output,) = [one for one in operation.results if one.name == name]
            maker.received(operation.identity, value, output)

    def _wanted(self, operation: Operation) -> Iterator[tuple[Value, TensorType]]:
        """Tensors handed on by an op, and the types that they must have, where these may differ."""
        pairs: list[tuple[Scalar | Index, Type]] = []
        if isinstance(operation, Call):
            taken = self._signatures.arguments.get(operation.callee, ())
            pairs = [
                (one, other.type) for one, other in zip(operation.arguments, taken, strict=False)
            ]
        elif isinstance(operation, GlobalStore):
            kind = self._signatures.globals.get(operation.symbol)
            pairs = [] if kind is None else [(operation.source, kind)]
        elif isinstance(operation, Select):
            kind = as_tensor(operation.result).type
            pairs = [(operation.then, kind), (operation.otherwise, kind)]
        elif isinstance(operation, Branch | ConditionalBranch):
            for successor in operation.successors:
                block = self._blocks[successor.block]
                pairs += [
                    (one, as_tensor(other).type)
                    for one, other in zip(successor.arguments, block.arguments, strict=True)
                ]
        elif isinstance(operation, For):
            _, *carried = operation.body.blocks[0].arguments
            pairs = _pairs(operation.initial, carried)
        elif isinstance(operation, While):
            pairs = _pairs(operation.initial, operation.before.blocks[0].arguments)
        for item, kind in pairs:
            if isinstance(item, Value) and isinstance(kind, TensorType):
                yield item, kind

    def _raw(self, operation: Operation) -> dict[str, Value]:
        """Other values for the results of an op that gives some under other types than they are
        used with."""
        kinds: Sequence[Type] = ()
        if isinstance(operation, Call):
            kinds = self._signatures.results.get(operation.callee, ())
        elif isinstance(operation, GlobalLoad) and operation.result.is_resource:
            kinds = (self._signatures.globals[operation.symbol],)
        pairs = list(zip(operation.results, kinds, strict=False))
        if all(as_tensor(output).type == kind for output, kind in pairs):
            return {}
        return {output.name: Value(self._maker.fresh(), kind) for output, kind in pairs}


def _pairs(items: Sequence[Scalar], taken: Sequence[Value]) -> list[tuple[Scalar | Index, Type]]:
    return [(one, as_tensor(other).type) for one, other in zip(items, taken, strict=True)]
