"""Recognises what a wrong run comes from where the host compared bytes as unsigned.

IREE's virtual machine computes in 32 bits at least, and has only an unsigned load of less
(compiler/src/iree/compiler/Dialect/HAL/Conversion/HALToVM/ConvertBufferOps.cpp). A signed
comparison of 8 or 16 bits that were loaded then goes as one of unsigned numbers would, and the run
takes another way: what it returns says nothing about where it was led astray.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from oracle.compiling.answers import Json
from oracle.running.trial import Trial, difference, tried_again
from reference.ir import Operation, Program, UnsupportedOperationError, map_operations
from reference.ops import HostScalar
from reference.values.numbers import bit_width

SHAPE = ("compared-as-unsigned",)
"""The shape of that fault."""

_PREDICATE = "predicate"
_UNSIGNED = {"2": "6", "3": "7", "4": "8", "5": "9"}
"""`arith.cmpi`'s signed predicates by number, and what asks the same of unsigned numbers."""

_NARROW = (8, 16)


def misled(program: Program, trial: Trial, told: Sequence[Sequence[Json]]) -> bool:
    """Whether a run returned all that the program would, were its comparisons of unsigned numbers.

    `told` is what the runtime gave for the trial.
    """
    other = compared_as_unsigned(program)
    if other is None:
        return False
    try:
        again = tried_again(other, trial)
    except UnsupportedOperationError:
        return False
    returned = again.returned(told)
    return len(returned) == len(again.expected) and all(
        difference(*pair) is None for pair in zip(again.expected, returned, strict=True)
    )


def compared_as_unsigned(program: Program) -> Program | None:
    """The program with every signed comparison of less than 32 bits as one of unsigned numbers;
    None where it has none."""
    changed = replace(
        program,
        functions=tuple(
            replace(one, body=map_operations(one.body, _unsigned)) for one in program.functions
        ),
        initializers=tuple(
            replace(one, body=map_operations(one.body, _unsigned)) for one in program.initializers
        ),
    )
    return None if changed == program else changed


def _unsigned(operation: Operation) -> Operation:
    if not isinstance(operation, HostScalar) or operation.name != "arith.cmpi":
        return operation
    if any(bit_width(one.type) not in _NARROW for one in operation.arguments):
        return operation
    attributes = tuple(
        (name, _UNSIGNED.get(text, text) if name == _PREDICATE else text)
        for name, text in operation.attributes
    )
    return replace(operation, attributes=attributes)
