"""Where in a program the generator stands: its functions, blocks and regions, and their limits."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field

from reference.affinity import Affinity
from reference.ir import Block, Operation, Region
from reference.types import I1, INDEX, Index, Value

_COUNTS = (2, 1, 3, 0)
"""What an argument that counts the turns of a loop holds when the program runs."""


class Place(enum.Enum):
    """What kind of block the next op goes to, which decides what it may be."""

    ENTRY = "entry"
    """A block of a public function's own region: anything."""
    CALLEE = "callee"
    """A block of a private function's own region: nothing that only the caller of a program has."""
    ARM = "arm"
    """A block that a branch enters and leaves, of any function."""
    REGION = "region"
    """A region of an op in a function."""
    LEAF = "leaf"
    """A region within a region: no further ones in it."""


INNER = {
    Place.ENTRY: Place.REGION,
    Place.CALLEE: Place.REGION,
    Place.ARM: Place.REGION,
    Place.REGION: Place.LEAF,
    Place.LEAF: Place.LEAF,
}
"""What a region of an op is that stands at a place."""


@dataclass(slots=True, eq=False)
class Body:
    """A function or an initializer under construction."""

    public: bool
    default: Affinity | None = None
    """The default affinity that holds here, the function's or the module's."""
    arguments: list[Value] = field(default_factory=list)
    views: list[Value] = field(default_factory=list)
    """What goes back to the caller besides resources: buffer views, fences."""
    sizes: list[Index] = field(default_factory=list)
    """Sizes in use."""
    blocks: list[Block] = field(default_factory=list)
    """The blocks that are finished."""
    entered_with: tuple[Value, ...] = ()
    """The arguments of the block under construction; an entry block's are the function's."""
    flags: list[Value] = field(default_factory=list)
    counts: list[Value] = field(default_factory=list)
    calls: bool = False
    """Whether it calls a function."""
    storage: Value | None = None
    """Where its transient memory comes from, where the caller says that."""
    storage_home: Affinity | None = None
    depth: int = 0
    """How many calls lead here from a public function."""

    def argument(self, value: Value) -> Value:
        """Append an argument."""
        self.arguments.append(value)
        return value

    def flag(self, name: str, known: int) -> Value:
        """A new argument that is true or false."""
        value = self.argument(Value(name, I1, None, known if self.public else None))
        self.flags.append(value)
        return value

    def count(self, name: str, choice: int) -> Value:
        """A new argument that counts the turns of a loop."""
        value = self.argument(Value(name, INDEX, None, _COUNTS[choice] if self.public else None))
        self.counts.append(value)
        return value

    def region(self, operations: Iterable[Operation]) -> Region:
        """All of it, given the ops of the last block."""
        blocks = [*self.blocks, Block(tuple(operations), self.entered_with)]
        blocks[0] = Block(blocks[0].operations, tuple(self.arguments))
        return Region(tuple(blocks))
