"""`util.global.load`: what a global holds."""

from __future__ import annotations

from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.types import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalLoad(Operation):
    """`result` is what global `symbol` holds. `immutable` says that nothing stores to it later."""

    symbol: str
    result: Value
    immutable: bool = False

    mnemonic = "util.global.load"

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    def assembly(self) -> str:
        immutable = "immutable " if self.immutable else ""
        return (
            f"%{self.result.name} = {self.mnemonic} {immutable}@{self.symbol} : {self.result.type}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> GlobalLoad:
        (result,) = generic.results
        return cls(
            identity=generic.identity,
            symbol=str(generic.attributes["global"]).removeprefix("@"),
            result=result,
            immutable="is_immutable" in generic.attributes,
        )
