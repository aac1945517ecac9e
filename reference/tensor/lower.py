"""What ops on tensors mean, as a program of the Stream phase.

Each tensor is a resource of its bytes. Nothing is added that IREE's conversion adds: an op runs
where it says, wherever its operands live. What has a meaning that is not known here, such as linalg
on tensors, is named.
"""

from __future__ import annotations

from dataclasses import replace

from reference.ir import (
    Block,
    Function,
    Initializer,
    Operation,
    Program,
    Region,
    UnsupportedOperationError,
)
from reference.ops import HostScalar
from reference.ops.tensor_assembly import grouped
from reference.ops.tensor_phase import TensorOperation
from reference.tensor.lowering import TENSOR, Lowering
from reference.tensor.meanings import MEANINGS
from reference.tensor.retype import with_values
from reference.tensor.shapes import shape_of
from reference.types import Literal, TensorType, Type, Value


def is_on_tensors(program: Program) -> bool:
    """Whether anything in a program, as it was read, is on tensors."""
    return (
        any(isinstance(operation, TensorOperation) for operation in program.operations())
        or any(isinstance(one.type, TensorType) for one in program.globals)
        or any(
            isinstance(kind, TensorType)
            for one in program.functions
            for kind in (*one.argument_types, *one.result_types)
        )
    )


def lowered(program: Program) -> Program:
    """The program of the Stream phase that one on tensors means; any other as it is.

    Raises UnsupportedOperationError for what the model does not know.
    """
    if not is_on_tensors(program):
        return program
    return replace(
        program,
        tensors=True,
        globals=tuple(replace(one, type=_resource(one.type)) for one in program.globals),
        initializers=tuple(Initializer(_Body(one.body).whole()) for one in program.initializers),
        functions=tuple(map(_function, program.functions)),
    )


def _function(function: Function) -> Function:
    return replace(
        function,
        body=_Body(function.body).whole(),
        result_types=tuple(map(_resource, function.result_types)),
        declared=tuple(map(_resource, function.declared)),
    )


def _resource(kind: Type) -> Type:
    if not isinstance(kind, TensorType):
        return kind
    shape_of(kind)
    return TENSOR


class _Body(Lowering):
    """One body."""

    def whole(self) -> Region:
        """All of it on resources."""
        return self.products.placed(self.region(self.body))

    def region(self, region: Region) -> Region:
        """The region on resources."""
        blocks = []
        for block in region.blocks:
            outer, self.made = self.made, []
            for operation in block.operations:
                self.operation(operation)
            arguments = tuple(map(self.of, block.arguments))
            blocks.append(Block(tuple(self.made), arguments))
            self.made = outer
        return Region(tuple(blocks))

    def operation(self, operation: Operation) -> None:
        if isinstance(operation, TensorOperation):
            write = MEANINGS.get(operation.name)
            if write is None:
                raise UnsupportedOperationError(operation.name)
            groups = grouped(operation.arguments, operation.attributes)
            write(self, operation, groups)
            return
        if isinstance(operation, HostScalar) and operation.name == "arith.divui":
            whole, parts = operation.arguments
            if isinstance(whole, Value) and isinstance(parts, Literal):
                self.divided[operation.outputs[0].name] = whole, int(parts.value)
        regions = tuple(self.region(region) for region in operation.regions)
        made = with_values(operation, self.of)
        self.made.append(made.with_regions(regions) if regions else made)
