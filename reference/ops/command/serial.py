"""`stream.cmd.serial`: commands that run one after the other, within a wave."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reference.ir import GenericOperation, Operation, Region


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSerial(Operation):
    """The ops of `body` run in their order."""

    body: Region

    mnemonic = "stream.cmd.serial"
    streamable = True
    side_effects = True

    @property
    def regions(self) -> tuple[Region, ...]:
        return (self.body,)

    def with_regions(self, regions: tuple[Region, ...]) -> Operation:
        (body,) = regions
        return replace(self, body=body)

    def assembly_pieces(self) -> tuple[str, ...]:
        return (f"{self.mnemonic} {{", "}")

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> CommandSerial:
        (body,) = generic.regions
        return cls(identity=generic.identity, body=body)
