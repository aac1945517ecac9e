"""Host ops that the model passes through: it knows no more of them than whether they have effects.

They take and give no resource and have no regions, so nothing of them lives or runs on a device.
"""

from __future__ import annotations

from dataclasses import dataclass

from reference.ir import GenericOperation, Operation, UnsupportedOperationError
from reference.ops.assembly import generic_assembly, scalar
from reference.types import Index, Scalar, Value

_PURE = """
    hal.device.resolve hal.device.query hal.buffer_view.buffer hal.devices.count hal.devices.get
    hal.memory_type hal.buffer_usage hal.buffer_view.create hal.buffer_view.dim
    hal.buffer_view.element_type hal.buffer.length hal.buffer_view.encoding_type
    hal.buffer_view.rank hal.device.allocator hal.element_type hal.encoding_type
    hal.buffer.subspan util.null util.cast util.cmp.eq util.cmp.ne util.range.min util.range.max
    util.range.extents util.sizeof util.switch util.assume.int util.buffer.constant
    util.buffer.alloc util.buffer.slice util.buffer.subspan util.buffer.size util.buffer.storage
    util.buffer.compare util.list.create util.list.construct util.global.address
    util.string.format util.string.itoa
"""

PURE_NAMES = frozenset(_PURE.split())
"""Ops without effects, by the traits in HALOps.td and UtilOps.td
(compiler/src/iree/compiler/Dialect/{HAL,Util}/IR)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpaqueOperation(Operation):
    """`outputs` are made from `arguments` by the op `name`.

    `attributes` are (name, printed attribute) pairs. Printed in MLIR's generic form.
    """

    name: str
    arguments: tuple[Scalar, ...]
    outputs: tuple[Value, ...]
    attributes: tuple[tuple[str, str], ...] = ()

    mnemonic = "host.opaque"

    @property
    def side_effects(self) -> bool:
        """An op that is not known to have none may have effects."""
        return self.name not in PURE_NAMES

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return self.arguments

    @property
    def results(self) -> tuple[Value, ...]:
        return self.outputs

    def assembly(self) -> str:
        return generic_assembly(self.name, self.arguments, self.outputs, self.attributes)

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> OpaqueOperation:
        arguments = tuple(map(scalar, generic.operands))
        for item in (*arguments, *generic.results):
            if isinstance(item, Value) and item.is_resource:
                raise UnsupportedOperationError("an op that the model does not know")
        if generic.regions or generic.successors:
            raise UnsupportedOperationError("an op that the model does not know")
        return cls(
            identity=generic.identity,
            name=generic.name,
            arguments=arguments,
            outputs=generic.results,
            attributes=generic.printed,
        )
