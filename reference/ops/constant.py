"""`stream.async.constant`: a resource with contents known at compile time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation, UnsupportedOperationError
from reference.ops.assembly import (
    affinity_of,
    device_lifetime_problem,
    on,
    resource_result,
    sized,
)
from reference.types import Index, Scalar, Value, known_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant(Operation):
    """`result` holds `elements` (MLIR's typed attribute, printed), `length` bytes of them.

    `length` is None when the attribute came from a file and is not one of ours.
    """

    elements: str
    length: int | None
    result: Value
    affinity: Affinity | None

    mnemonic = "stream.async.constant"
    streamable = True
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.result.size,)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    @property
    def execution_affinity(self) -> Affinity | None:
        return self.affinity

    def problems(self) -> Iterator[str]:
        yield from device_lifetime_problem("result", self.result)
        size = known_bytes(self.result.size)
        if self.length is not None and size != self.length:
            yield f"result has {size} bytes but its elements have {self.length}"

    def assembly(self) -> str:
        return (
            f"%{self.result.name} = {self.mnemonic} {on(self.affinity)}".rstrip()
            + f" : {sized(self.result)} = {self.elements}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Constant:
        if len(generic.operands) != 1:
            raise UnsupportedOperationError(f"{cls.mnemonic} with await")
        return cls(
            identity=generic.identity,
            elements=str(generic.attributes["value"]),
            length=None,
            result=resource_result(generic, generic.operands[0]),
            affinity=affinity_of(generic.attributes.get("affinity")),
        )
