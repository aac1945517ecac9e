"""What makes a program that somebody wrote one to mutate."""

from __future__ import annotations

from dataclasses import replace

from gen.mutation.edits import mapped
from reference.ir import Function, Operation, Program, map_operations, walk
from reference.ops import Call, Concurrent, Execute
from reference.ops.command import COMMAND_OPERATIONS
from reference.types import INDEX, Value
from reference.verifier import verify
from reference.verifier.symbols import with_named_devices

_ROUND = 64

_SCHEDULED = (Concurrent, Execute, *COMMAND_OPERATIONS.values())


def why_not_mutable(program: Program) -> str | None:
    """Why mutants of a program could not accuse a compiler; None where they can."""
    if is_scheduled(program):
        return "it is scheduled already, which no program is that the whole pipeline is given"
    if all(one.is_declaration for one in program.functions):
        return "it has no function with a body"
    problems = verify(prepared(program))
    return None if not problems else f"not {problems[0].level.value}: {problems[0]}"


def is_scheduled(program: Program) -> bool:
    """Whether some of a program's work is in execution regions: only later passes take it."""
    return any(isinstance(one, _SCHEDULED) for one in program.operations())


def prepared(program: Program) -> Program:
    """The program as mutations take it: a module that stands for itself.

    Devices that it only names are its own. What nobody calls is public, or the compiler would drop
    it before anything else. Ops have names instead of lines, and lengths that the caller says are
    numbers that fit, so that the program can be run. What was written on tensors is written as what
    it means.
    """
    program = with_named_devices(program)
    called = {one.callee for one in program.operations() if isinstance(one, Call)}
    functions = tuple(
        function if function.name in called else replace(_sized(function), public=True)
        for function in program.functions
    )
    numbers = iter(range(1 << 20))

    def named(operation: Operation) -> Operation:
        return replace(operation, identity=f"op{next(numbers)}")

    return replace(
        program,
        tensors=False,
        functions=tuple(replace(one, body=map_operations(one.body, named)) for one in functions),
        initializers=tuple(
            replace(one, body=map_operations(one.body, named)) for one in program.initializers
        ),
    )


def _sized(function: Function) -> Function:
    """The function with a number for each argument that is a length and has none yet: room for all
    ranges of its ops."""
    most = 1
    sizes: set[str] = set()
    for operation in walk(function.body):
        for value in (*operation.operands, *operation.results):
            if isinstance(value.size, Value):
                sizes.add(value.size.name)
        if any(one.is_resource for one in operation.operands):
            most = max([most, *(item for item in operation.inputs if isinstance(item, int))])
    room = -(-most // _ROUND) * _ROUND
    ours = {
        one.name
        for one in function.arguments
        if one.type == INDEX and one.known is None and one.name in sizes
    }

    def known(value: Value) -> Value:
        return replace(value, known=room) if value.name in ours else value

    return mapped(function, known)
