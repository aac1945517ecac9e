"""Arithmetic of the host on index and number values: sizes, offsets, loaded scalars."""

from __future__ import annotations

from dataclasses import dataclass

from reference.ir import Attribute, GenericOperation, Operation, UnsupportedOperationError
from reference.ops.assembly import ref, scalar
from reference.types import Index, Scalar, Value

_ARITH = """
    addi subi muli divsi divui remsi remui ceildivsi ceildivui floordivsi andi ori xori shli shrsi
    shrui maxsi maxui minsi minui cmpi index_cast index_castui extsi extui trunci addf subf
    mulf divf maximumf minimumf negf cmpf extf truncf sitofp uitofp fptosi fptoui bitcast
"""

HOST_SCALAR_NAMES = (
    *(f"arith.{name}" for name in _ARITH.split()),
    "affine.apply", "affine.max", "affine.min", "util.align",
)  # fmt: skip
"""The ops that are read as `HostScalar`: pure, and without resources or affinity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostScalar(Operation):
    """`outputs` are computed from `arguments` by the op `name`, which the model does not evaluate.

    `attributes` are (name, printed attribute) pairs. Printed in MLIR's generic form, the only one
    that all of these ops share.
    """

    name: str
    arguments: tuple[Scalar, ...]
    outputs: tuple[Value, ...]
    attributes: tuple[tuple[str, str], ...] = ()

    mnemonic = "host.scalar"

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return self.arguments

    @property
    def results(self) -> tuple[Value, ...]:
        return self.outputs

    def assembly(self) -> str:
        results = ", ".join(f"%{output.name}" for output in self.outputs)
        arguments = ", ".join(map(ref, self.arguments))
        pairs = ", ".join(f"{name} = {text}" for name, text in self.attributes)
        properties = f" <{{{pairs}}}>" if pairs else ""
        takes = ", ".join(str(argument.type) for argument in self.arguments)
        gives = ", ".join(str(output.type) for output in self.outputs)
        return f'{results} = "{self.name}"({arguments}){properties} : ({takes}) -> ({gives})'

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> HostScalar:
        arguments = tuple(map(scalar, generic.operands))
        for item in (*arguments, *generic.results):
            if isinstance(item, Value) and item.is_resource:
                raise UnsupportedOperationError(f"{generic.name} on {item.type}")
        return cls(
            identity=generic.identity,
            name=generic.name,
            arguments=arguments,
            outputs=generic.results,
            attributes=tuple(
                (name, _printed(attribute)) for name, attribute in generic.attributes.items()
            ),
        )


def _printed(attribute: Attribute) -> str:
    """An attribute of these ops as MLIR reads it; integers (predicates) are i64."""
    if isinstance(attribute, bool):
        return str(attribute).lower()
    if isinstance(attribute, (int, str)):
        return str(attribute)
    raise UnsupportedOperationError(f"attribute {attribute}")
