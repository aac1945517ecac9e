"""`stream.cmd.concurrent`: a wave, commands that may run at the same time."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reference.ir import GenericOperation, Operation, Region


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandConcurrent(Operation):
    """The ops of `body` are not ordered among themselves."""

    body: Region

    mnemonic = "stream.cmd.concurrent"
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
    def from_generic(cls, generic: GenericOperation) -> CommandConcurrent:
        (body,) = generic.regions
        return cls(identity=generic.identity, body=body)
