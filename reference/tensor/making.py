"""A body on tensors under construction."""

from __future__ import annotations

from collections.abc import Sequence

from reference.affinity import Affinity
from reference.ir import Operation, Region
from reference.ops import HostScalar
from reference.ops.tensor_assembly import SEGMENTS, segments_text
from reference.ops.tensor_phase import TENSOR_OPERATIONS
from reference.tensor.expression import InexpressibleError
from reference.tensor.fences import Fences
from reference.tensor.retype import as_tensor, dimensions, element_of, tensor_type
from reference.types import (
    I8,
    INDEX,
    Index,
    Literal,
    Scalar,
    ScalarType,
    TensorType,
    Type,
    Value,
    parse_type,
)


class Maker:
    """The ops so far, and what each resource has become."""

    def __init__(self, body: Region, fences: Fences) -> None:
        self.made: list[Operation] = []
        self.fences = fences
        self._became: dict[str, Value] = {}
        self._prefix = "t"
        while any(name.startswith(self._prefix) and name[1:].isdecimal() for name in _names(body)):
            self._prefix += "t"
        self._count = 0
        self._counts: dict[tuple[str, int], Value] = {}
        """How many elements there are, by the bytes in all and those of an element."""
        self._outer: list[tuple[list[Operation], dict[tuple[str, int], Value]]] = []

    def begin(self) -> None:
        """Starts a block."""
        self._outer.append((self.made, self._counts))
        self.made, self._counts = [], {}

    def end(self) -> tuple[Operation, ...]:
        """Back to the block around; the ops of the block that ends here."""
        made = tuple(self.made)
        self.made, self._counts = self._outer.pop()
        return made

    def of(self, value: Value) -> Value:
        """The tensor that a resource is; any other value as it is."""
        return self._became.get(value.name) or as_tensor(value)

    def same(self, value: Value, known: Value) -> None:
        """`value` is the tensor `known` under another name."""
        self._became[value.name] = known

    def fresh(self) -> str:
        """A name that nothing has."""
        self._count += 1
        return f"{self._prefix}{self._count - 1}"

    def emit(
        self,
        identity: str,
        name: str,
        groups: Sequence[Sequence[Index | Scalar]],
        outputs: Sequence[Value],
        affinity: Affinity | None = None,
        attributes: Sequence[tuple[str, str]] = (),
        ties: Sequence[int | None] | None = None,
        segmented: bool = True,
    ) -> None:
        """Appends an op on tensors. `affinity` is where it runs, told as the op's kind tells it."""
        kind = TENSOR_OPERATIONS[name]
        told = list(attributes)
        if segmented:
            told.append((SEGMENTS, segments_text(*map(len, groups))))
        if affinity is not None:
            told.append((_PLACED.get(name, "stream.affinity"), str(affinity)))
        self.made.append(
            kind(
                identity=identity,
                name=name,
                arguments=tuple(_scalar(item) for group in groups for item in group),
                outputs=tuple(outputs),
                ties=tuple(ties) if ties is not None else (None,) * len(outputs),
                affinity=affinity,
                attributes=tuple(told),
            )
        )

    def new(self, kind: Type, size: Index | None = None) -> Value:
        """A value that only this body has."""
        return Value(self.fresh(), kind, size)

    def count(self, identity: str, size: Value, element: ScalarType) -> Value:
        """How many elements have as many bytes as only the caller knows."""
        if element.bytes == 1:
            return size
        key = size.name, element.bytes
        if key in self._counts:
            return self._counts[key]
        made = self._counts[key] = self.new(INDEX)
        self.made.append(
            HostScalar(
                identity=identity,
                name="arith.divui",
                arguments=(size, Literal(element.bytes, INDEX)),
                outputs=(made,),
            )
        )
        return made

    def learn(self, operation: HostScalar) -> None:
        """Takes note of a number of elements that the program computes itself."""
        if operation.name == "arith.divui":
            size, width = operation.arguments
            if isinstance(size, Value) and isinstance(width, Literal):
                self._counts.setdefault((size.name, int(width.value)), operation.outputs[0])

    def seen_as(self, identity: str, value: Value, element: ScalarType) -> Value:
        """A tensor of bytes as one of other elements, without the bytes that make no whole one."""
        tensor = self.of(value)
        if element == I8:
            return tensor
        counts: tuple[Value, ...] = ()
        extent = "?"
        if isinstance(tensor.size, Value):
            counts = (self.count(identity, tensor.size, element),)
        else:
            assert tensor.size is not None
            whole = tensor.size - tensor.size % element.bytes
            if whole != tensor.size:
                part = self.new(tensor_type(whole), whole)
                groups = (tensor,), (), (0,), (whole,), ()
                self.emit(identity, "flow.tensor.slice", groups, (part,))
                tensor = part
            extent = str(whole // element.bytes)
        made = self.new(TensorType(f"tensor<{extent}x{element}>"), tensor.size)
        self._bitcast(identity, tensor, self.open_ones(identity, tensor), made, counts)
        return made

    def bytes_of(self, identity: str, tensor: Value, result: Value) -> None:
        """`result` is the bytes of a tensor of any elements."""
        made = as_tensor(result)
        if made.type == tensor.type:
            self.same(result, tensor)
            return
        self._bitcast(identity, tensor, self.open_ones(identity, tensor), made, dimensions(made))

    def open_ones(self, identity: str, tensor: Value) -> tuple[Value, ...]:
        """The open dimensions of a tensor of any elements."""
        if not isinstance(tensor.size, Value):
            return ()
        element = parse_type(str(tensor.type).removeprefix("tensor<?x").removesuffix(">"))
        assert isinstance(element, ScalarType)
        return (self.count(identity, tensor.size, element),)

    def _bitcast(
        self,
        identity: str,
        tensor: Value,
        taken: tuple[Value, ...],
        made: Value,
        given: tuple[Value, ...],
    ) -> None:
        groups = (tensor,), taken, given
        self.emit(identity, "flow.tensor.bitcast", groups, (made,), ties=(0,))

    def reshaped(self, identity: str, value: Value, kind: TensorType) -> Value:
        """A tensor under a type with an open dimension, or without, or of other elements."""
        tensor = self.of(value)
        made = self.new(kind, tensor.size)
        self._reshape(identity, tensor, made)
        return made

    def received(self, identity: str, tensor: Value, result: Value) -> None:
        """`result` is what an op gave as `tensor`."""
        made = as_tensor(result)
        if made.type == tensor.type:
            self.same(result, Value(tensor.name, made.type, made.size))
        else:
            self._reshape(identity, Value(tensor.name, tensor.type, made.size), made)

    def _reshape(self, identity: str, tensor: Value, made: Value) -> None:
        def told(value: Value) -> tuple[Index, ...]:
            if "?" not in str(value.type):
                return ()
            if value.size is None:
                told = f"%{value.name}, of which nothing says how long it is"
                raise InexpressibleError(told)
            return (value.size,)

        groups = (tensor,), told(tensor), told(made)
        same = element_of(tensor.type) == element_of(made.type)
        name = "flow.tensor.reshape" if same else "flow.tensor.bitcast"
        self.emit(identity, name, groups, (made,), ties=(0,))


_PLACED = {
    "flow.tensor.transfer": "target",
    "flow.tensor.barrier": "target",
    "hal.tensor.import": "affinity",
    "hal.tensor.export": "affinity",
}
"""The attribute by which an op says where it runs, where it is not `stream.affinity`."""


def _scalar(item: Index | Scalar) -> Scalar:
    return Literal(item, INDEX) if isinstance(item, int) else item


def _names(region: Region) -> list[str]:
    found = []
    for block in region.blocks:
        found += [value.name for value in block.arguments]
        for operation in block.operations:
            found += [value.name for value in operation.results]
            for inner in operation.regions:
                found += _names(inner)
    return found
