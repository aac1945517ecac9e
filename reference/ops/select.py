"""`arith.select` of two resources, timepoints or other values that are no host scalars."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import condition_problem, ref, resource, same_type_problem, scalar
from reference.ops.host import HostScalar
from reference.types import Index, Scalar, ScalarType, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Select(Operation):
    """`result` is `then` where `condition` (i1) holds, else `otherwise`.

    A select of host scalars is a `HostScalar`.
    """

    condition: Scalar
    then: Value
    otherwise: Value
    result: Value

    mnemonic = "arith.select"

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.condition, self.then, self.otherwise)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    def problems(self) -> Iterator[str]:
        yield from condition_problem(self.condition)
        yield from same_type_problem(self.then, self.otherwise)
        yield from same_type_problem(self.then, self.result)

    def assembly(self) -> str:
        return (
            f"%{self.result.name} = {self.mnemonic} {ref(self.condition)}, %{self.then.name}, "
            f"%{self.otherwise.name} : {self.result.type}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Operation:
        (result,) = generic.results
        if isinstance(result.type, ScalarType):
            return HostScalar.from_generic(generic)
        condition, then, otherwise = generic.operands
        return cls(
            identity=generic.identity,
            condition=scalar(condition),
            then=resource(then),
            otherwise=resource(otherwise),
            result=result,
        )
