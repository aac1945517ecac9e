"""Products of open dimensions: how many bytes tensors have whose shapes are told by values."""

from __future__ import annotations

from dataclasses import replace

from reference.ir import Block, Operation, Region
from reference.ops import HostScalar
from reference.types import INDEX, Scalar, Value


class Products:
    """The multiplications that one body needs, each once.

    Each stands right behind what its factors are defined by: wherever both are visible, within
    regions and without, so is the product.
    """

    def __init__(self, body: Region) -> None:
        self._order: dict[str, int] = {}
        self._made: dict[tuple[str, Scalar], Value] = {}
        self._behind: dict[str, list[Operation]] = {}
        """Products by the name of the value that they stand behind."""
        self._place: dict[str, str] = {}
        """The value that a product stands behind, by the product's name."""
        self._note(body)

    def of(self, one: Value, other: Scalar, named: str, identity: str) -> Value:
        """The product of two factors; `named` and of that `identity` where it is a new one."""
        known = self._made.get((one.name, other))
        if known is not None:
            return known
        made = self._made[one.name, other] = Value(named, INDEX)
        factors = [factor.name for factor in (one, other) if isinstance(factor, Value)]
        places = [self._place.get(name, name) for name in factors]
        place = self._place[named] = max(places, key=self._order.__getitem__)
        self._behind.setdefault(place, []).append(
            HostScalar(
                identity=identity,
                name="arith.muli",
                arguments=(one, other),
                outputs=(made,),
                attributes=(("overflowFlags", "#arith.overflow<none>"),),
            )
        )
        return made

    def placed(self, body: Region) -> Region:
        """The body with the products in it."""
        return self._placed(body) if self._behind else body

    def _note(self, region: Region) -> None:
        for block in region.blocks:
            self._number(block.arguments)
            for operation in block.operations:
                self._number(operation.results)
                for inner in operation.regions:
                    self._note(inner)

    def _number(self, values: tuple[Value, ...]) -> None:
        for value in values:
            self._order[value.name] = len(self._order)

    def _placed(self, region: Region) -> Region:
        blocks: list[Block] = []
        for block in region.blocks:
            made = self._after(block.arguments)
            for operation in block.operations:
                inner = tuple(map(self._placed, operation.regions))
                made.append(operation.with_regions(inner) if inner else operation)
                made += self._after(operation.results)
            blocks.append(replace(block, operations=tuple(made)))
        return Region(tuple(blocks))

    def _after(self, values: tuple[Value, ...]) -> list[Operation]:
        return [one for value in values for one in self._behind.get(value.name, ())]
