"""A body of the Stream phase under construction, for what ops on tensors mean."""

from __future__ import annotations

from dataclasses import dataclass, field

from reference.affinity import Affinity
from reference.ir import Operation, Region, UnsupportedOperationError, walk
from reference.ops import Transfer
from reference.ops.tensor_phase import TensorOperation
from reference.tensor.products import Products
from reference.tensor.shapes import index_of, shape_of, told_dimensions
from reference.types import INDEX, RESOURCES, Index, Lifetime, Literal, Scalar, TensorType, Value

TENSOR = RESOURCES[Lifetime.UNKNOWN]
"""What a tensor is: its lifetime is still to be given."""


@dataclass(slots=True)
class Lowering:
    """One body."""

    body: Region
    made: list[Operation] = field(default_factory=list)
    became: dict[str, Value] = field(default_factory=dict)
    _open: dict[str, tuple[Index, ...]] = field(default_factory=dict)
    divided: dict[str, tuple[Value, int]] = field(default_factory=dict)
    """What was divided, and by how much, by the name of the quotient."""
    products: Products = field(init=False)
    _count: int = 0

    def __post_init__(self) -> None:
        self.products = Products(self.body)
        for operation in walk(self.body):
            if isinstance(operation, TensorOperation):
                for value, told in told_dimensions(operation):
                    if told:
                        self._open.setdefault(value.name, told)

    def of(self, value: Value) -> Value:
        """The resource that a tensor is; any other value as it is."""
        known = self.became.get(value.name)
        if known is not None:
            return known
        if not isinstance(value.type, TensorType):
            return value
        made = self.became[value.name] = Value(value.name, TENSOR, self.size(value))
        return made

    def size(self, value: Value) -> Index | None:
        """The bytes of a tensor; None where no op says what its open dimensions are."""
        shape = shape_of(value.type)
        open_ones = iter(self._open.get(value.name, ()))
        known, unknown = shape.width, []
        for extent in shape.extents:
            if extent is None:
                item = next(open_ones, None)
                if item is None:
                    return None
                if isinstance(item, int):
                    known *= item
                else:
                    unknown.append(item)
            else:
                known *= extent
        if not unknown:
            return known
        if len(unknown) == 1 and known == 1:
            return unknown[0]
        return self._product(value, known, unknown)

    def _product(self, value: Value, known: int, unknown: list[Value]) -> Index:
        """How many bytes these numbers of elements are."""
        first, *rest = unknown
        whole = self.divided.get(first.name)
        if whole is not None and not rest and whole[1] == known:
            return whole[0]
        factors: list[Scalar] = [*rest, *([Literal(known, INDEX)] if known != 1 else [])]
        for factor in factors:
            self._count += 1
            named = f"{value.name.replace('#', '_')}_bytes{self._count}"
            first = self.products.of(first, factor, named, f"{named}~bytes")
        return first

    def output(self, op: TensorOperation, place: int = 0) -> Value:
        """A result of the op as a resource."""
        return self.of(op.outputs[place])

    def same(self, value: Value, known: Value) -> None:
        """`value` is what `known` is."""
        self.became[value.name] = known

    def identity(self, op: TensorOperation, what: str) -> str:
        """An identity for a further op that `op` means."""
        self._count += 1
        return f"{op.identity}~{what}{self._count}"

    def name(self, value: Value, what: str) -> str:
        """A name for a further value."""
        self._count += 1
        return f"{value.name.replace('#', '_')}_{what}{self._count}"

    def transfer(
        self,
        identity: str,
        source: Value,
        result: Value,
        start: Affinity | None,
        end: Affinity | None,
    ) -> None:
        """Appends a transfer."""
        self.made.append(
            Transfer(
                identity=identity,
                source=source,
                result=result,
                source_affinity=start,
                target_affinity=end,
            )
        )

    def bytes_at(self, op: TensorOperation, value: Scalar, places: tuple[Scalar, ...]) -> Index:
        """The offset in bytes of an element of a tensor."""
        assert isinstance(value, Value)
        shape = shape_of(value.type)
        if all(isinstance(one, Literal) for one in places) and None not in shape.extents[1:]:
            offset = 0
            for place, extent in zip(places, shape.extents, strict=True):
                assert isinstance(place, Literal)
                offset = offset * (extent or 1) + int(place.value)
            return offset * shape.width
        if len(places) == 1 and shape.width == 1:
            return index_of(places[0])
        raise UnsupportedOperationError(f"{op.name} at a place that is computed")
