"""`util.global.store`: a global is given another value."""

from __future__ import annotations

from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import ref, scalar
from reference.types import Index, Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalStore(Operation):
    """Global `symbol` holds `source` from here on."""

    symbol: str
    source: Scalar

    mnemonic = "util.global.store"
    side_effects = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.source,)

    def assembly(self) -> str:
        return f"{self.mnemonic} {ref(self.source)}, @{self.symbol} : {self.source.type}"

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> GlobalStore:
        (source,) = generic.operands
        return cls(
            identity=generic.identity,
            symbol=str(generic.attributes["global"]).removeprefix("@"),
            source=scalar(source),
        )
