"""A function body that can be rewritten: ops in linked blocks, and the uses of every value.

Values keep their names. A value's uses are in the order in which MLIR walks them: the use made last
comes first. Reading an IR text makes them op by op, ops of nested regions before the op around, so
that a body read back has the order that the compiler's own parser gives.
"""

from __future__ import annotations

from collections.abc import Sequence

from reference.folding.layouts import Input, sized, with_successors
from reference.folding.nodes import Node, NodeBlock, NodeRegion
from reference.ir import Block, Operation, Region, changed
from reference.types import INDEX, Index, Literal, Type, Value

__all__ = ["Body", "Names", "Node", "NodeBlock", "NodeRegion", "Use"]

Use = tuple[Node, int]
"""An op and the place among its inputs where it takes a value."""


class Body:
    """The body of one function or initializer, or of any op whose regions see nothing outside."""

    def __init__(self, region: Region) -> None:
        self._definitions: dict[str, Node] = {}
        self._arguments: dict[str, NodeBlock] = {}
        self._uses: dict[str, dict[Use, None]] = {}
        self._replaced_sizes: dict[str, Index] = {}
        self._next_number = 0
        self.region = self._adopt_region(region, None)

    def to_region(self, names: Names) -> Region:
        """The body as program IR again; `names` gives copies of an op other identities."""
        return _Export(names, self._replaced_sizes).region(self.region)

    def release(self) -> None:
        """Gives the memory back at once; the body is no use any more."""
        self.region.release()
        for owned in (self._definitions, self._arguments, self._uses):
            owned.clear()

    def definition(self, value: Input) -> Node | None:
        """The op that makes a value; None for a block argument and for a constant."""
        return self._definitions.get(value.name) if isinstance(value, Value) else None

    def block_of_argument(self, value: Value) -> NodeBlock | None:
        """The block that a value is an argument of."""
        return self._arguments.get(value.name)

    def uses(self, value: Value) -> list[Use]:
        """The uses of a value, the latest first."""
        found = self._uses.get(value.name)
        return [*reversed(found)] if found else []

    def users(self, value: Value) -> list[Node]:
        """The ops of `uses`, one as often as it uses the value."""
        found = self._uses.get(value.name)
        return [node for node, _ in reversed(found)] if found else []

    def at_most_one_other_user(self, value: Value, node: Node) -> bool:
        """Whether no two other ops than `node` use a value."""
        other: Node | None = None
        for user, _ in self._uses.get(value.name, ()):
            if user is node or user is other:
                continue
            if other is not None:
                return False
            other = user
        return True

    def is_used(self, value: Value) -> bool:
        return bool(self._uses.get(value.name))

    def has_one_use(self, value: Value) -> bool:
        return len(self._uses.get(value.name, ())) == 1

    def is_unused(self, node: Node) -> bool:
        """Whether nobody uses a result of the op."""
        for result in node.results:  # noqa: SIM110 - asked of every op
            if self._uses.get(result.name):
                return False
        return True

    def fresh(self, kind: Type, size: Index | None = None) -> Value:
        """A value with a name that nothing has."""
        return Value(self.fresh_name(), kind, size)

    def fresh_name(self) -> str:
        """A name that nothing has."""
        while True:
            name = f"fold_{self._next_number}"
            self._next_number += 1
            if name not in self._definitions and name not in self._arguments:
                return name

    def insert(self, operation: Operation, before: Node) -> Node:
        """A new op, with its regions, before another one."""
        node = self._adopt(operation)
        before.home.insert(node, before)
        return node

    def append(self, operation: Operation, block: NodeBlock) -> Node:
        """A new op at the end of a block."""
        node = self._adopt(operation)
        block.insert(node, None)
        return node

    def erase(self, node: Node) -> None:
        """Takes an op without regions out of the body."""
        self._drop_uses(node)
        for result in node.results:
            self._definitions.pop(result.name, None)
        node.regions = []
        node.home.remove(node)

    def set_input(self, node: Node, place: int, item: Input) -> None:
        """Lets an op take something else; the use becomes the latest of its value."""
        old = node.inputs[place]
        if isinstance(old, Value):
            del self._uses[old.name][node, place]
        node.set_input(place, item)
        if isinstance(item, Value):
            self._uses.setdefault(item.name, {})[node, place] = None

    def set_operation(self, node: Node, operation: Operation) -> None:
        """Makes an op another one in place, with the same results in whole or in part."""
        self._drop_uses(node)
        for result in node.results:
            self._definitions.pop(result.name, None)
        node.set_operation(operation)
        self._register(node)

    def move(self, node: Node, before: Node) -> None:
        """Moves an op before another one, of the same block or not."""
        node.home.remove(node)
        before.home.insert(node, before)

    def move_to_end(self, node: Node, block: NodeBlock) -> None:
        """Moves an op to the end of a block."""
        node.home.remove(node)
        block.insert(node, None)

    def note_replaced(self, old: Value, new: Input) -> None:
        """Remembers that a size is now known under another name."""
        size = new.value if isinstance(new, Literal) else new
        if old.type == INDEX and isinstance(size, int | Value):
            self._replaced_sizes[old.name] = size

    def set_arguments(self, block: NodeBlock, arguments: list[Value]) -> None:
        """Gives a block other arguments."""
        for value in block.arguments:
            self._arguments.pop(value.name, None)
        block.arguments = arguments
        for value in arguments:
            self._arguments[value.name] = block

    def move_regions(self, source: Node, target: Node) -> None:
        """Gives the regions of an op to another op, whose own are empty."""
        source.regions, target.regions = target.regions, source.regions
        for node in (source, target):
            for region in node.regions:
                region.parent = node

    def move_region(self, source: Node, target: Node, place: int = 0) -> None:
        """Gives a region of an op to another op, whose own region goes."""
        region = source.regions[place]
        region.parent = target
        target.regions[place] = region
        source.regions[place] = NodeRegion(source)

    def move_block(self, block: NodeBlock, region: NodeRegion) -> None:
        """Moves a block to the end of another region."""
        block.region.blocks.remove(block)
        block.region = region
        region.blocks.append(block)

    def add_block(self, region: NodeRegion, arguments: Sequence[Value] = ()) -> NodeBlock:
        """A new block without ops at the end of a region."""
        block = NodeBlock(region, ())
        region.blocks.append(block)
        self.set_arguments(block, list(arguments))
        return block

    def replace_uses(self, old: Value, new: Input) -> None:
        """Another value wherever `old` is used; nobody is told."""
        for node, place in self.uses(old):
            self.set_input(node, place, new)
        self.note_replaced(old, new)

    def drop_block(self, block: NodeBlock) -> None:
        """Forgets a block whose ops are gone."""
        self.set_arguments(block, [])
        block.region.blocks.remove(block)

    def _adopt_region(self, region: Region, parent: Node | None) -> NodeRegion:
        made = NodeRegion(parent)
        for block in region.blocks:
            adopted = NodeBlock(made, block.arguments)
            made.blocks.append(adopted)
            for value in block.arguments:
                self._arguments[value.name] = adopted
        for block, adopted in zip(region.blocks, made.blocks, strict=True):
            for operation in block.operations:
                node = self._adopt(operation)
                adopted.insert(node, None)
                if operation.terminator:
                    node.successors = [made.blocks[to.block] for to in operation.successors]
        return made

    def _adopt(self, operation: Operation) -> Node:
        node = Node(operation)
        for region in operation.regions:
            node.regions.append(self._adopt_region(region, node))
        self._register(node)
        return node

    def _register(self, node: Node) -> None:
        uses = self._uses
        for place, item in enumerate(node.inputs):
            if isinstance(item, Value):
                found = uses.get(item.name)
                if found is None:
                    uses[item.name] = {(node, place): None}
                else:
                    found[node, place] = None
        for result in node.results:
            self._definitions[result.name] = node

    def _drop_uses(self, node: Node) -> None:
        for place, item in enumerate(node.inputs):
            if isinstance(item, Value):
                del self._uses[item.name][node, place]


class Names:
    """Gives copies of an op identities of their own, for a whole program."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def take(self, identity: str) -> str:
        """`identity` the first time, then `identity~2` and so on."""
        seen = self._seen.get(identity, 0) + 1
        self._seen[identity] = seen
        if seen == 1:
            return identity
        name = f"{identity}~{seen}"
        return self.take(name) if name in self._seen else self._mark(name)

    def _mark(self, name: str) -> str:
        self._seen[name] = 1
        return name


class _Export:
    """Nodes on their way back into program IR."""

    def __init__(self, names: Names, replaced_sizes: dict[str, Index]) -> None:
        self._names = names
        self._replaced = replaced_sizes

    def region(self, region: NodeRegion) -> Region:
        places = {id(block): place for place, block in enumerate(region.blocks)}
        return Region(
            tuple(
                [
                    Block(
                        tuple([self._operation(node, places) for node in block]),
                        tuple([self._resized(value) for value in block.arguments]),
                    )
                    for block in region.blocks
                ]
            )
        )

    def _operation(self, node: Node, places: dict[int, int]) -> Operation:
        if self._replaced:
            for place, item in enumerate(node.inputs):
                if isinstance(item, Value) and isinstance(item.size, Value):
                    node.set_input(place, self._resized(item))
        operation = node.current
        identity = self._names.take(operation.identity)
        if identity != operation.identity:
            operation = changed(operation, {"identity": identity})
        if node.successors:
            operation = with_successors(operation, [places[id(to)] for to in node.successors])
        if node.regions:
            operation = operation.with_regions(tuple(map(self.region, node.regions)))
        return operation

    def _resized(self, value: Value) -> Value:
        size: Input = value.size
        while isinstance(size, Value) and size.name in self._replaced:
            size = self._replaced[size.name]
        return value if size is value.size else sized(value, size)
