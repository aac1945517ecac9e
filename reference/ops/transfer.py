"""`stream.async.transfer`: a resource moved between devices or between lifetimes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import (
    affinity_of,
    on,
    resource,
    resource_result,
    same_size_problem,
    sized,
)
from reference.types import Index, Lifetime, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer(Operation):
    """`source` lives on `source_affinity`, `result` on `target_affinity`.

    `explicit_affinity` is `on(…)`, where the transfer executes whatever its ends say
    (`getExecutionAffinityAttr`; from IREE 3.12 on). All lifetimes are legal on both ends.
    """

    source: Value
    result: Value
    source_affinity: Affinity | None
    target_affinity: Affinity | None
    explicit_affinity: Affinity | None = None

    mnemonic = "stream.async.transfer"
    streamable = True
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.source, self.source.size, self.result.size)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    @property
    def default_execution_affinity(self) -> Affinity | None:
        """Where the transfer executes when no `on` says so, by the lifetimes of its ends.

        Between two staging values it is the source's side. What comes from an external or a
        staging value is pulled by the target's side. All else is pushed by the source's side.
        Rule: `AsyncTransferOp::getDefaultExecutionAffinityAttr`,
        compiler/src/iree/compiler/Dialect/Stream/IR/StreamOps.cpp (the body of `getAffinityAttr`
        before 3.12).
        """
        source, result = self.source.lifetime, self.result.lifetime
        if source is Lifetime.STAGING and result is Lifetime.STAGING:
            return self.source_affinity
        if source in (Lifetime.EXTERNAL, Lifetime.STAGING):
            return self.target_affinity
        return self.source_affinity

    @property
    def execution_affinity(self) -> Affinity | None:
        return self.explicit_affinity or self.default_execution_affinity

    def problems(self) -> Iterator[str]:
        for value in (self.source, self.result):
            if value.lifetime is None:
                yield f"%{value.name} is {value.type}, not a resource"
        yield from same_size_problem(self.source, self.result)

    def assembly(self) -> str:
        source_side = "" if self.source_affinity is None else f" from({self.source_affinity})"
        target_side = "" if self.target_affinity is None else f"to({self.target_affinity}) "
        return (
            f"%{self.result.name} = {self.mnemonic} {on(self.explicit_affinity)}"
            f"%{self.source.name} : {sized(self.source)}{source_side} -> "
            f"{target_side}{sized(self.result)}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Transfer:
        source, source_size, result_size = generic.operands
        attributes = generic.attributes
        return cls(
            identity=generic.identity,
            source=resource(source, source_size),
            result=resource_result(generic, result_size),
            source_affinity=affinity_of(attributes.get("source_affinity"), "from"),
            target_affinity=affinity_of(attributes.get("target_affinity"), "to"),
            explicit_affinity=affinity_of(attributes.get("execution_affinity"), "on"),
        )
