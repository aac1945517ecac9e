"""Runs a program of the command level and tells what it saw."""

from __future__ import annotations

from dataclasses import replace

from reference.commands.buffers import Buffer
from reference.commands.events import Trace
from reference.commands.memory import CommandMemory
from reference.commands.rules import COMMAND_RULES
from reference.ir import Program
from reference.values.evaluation import results_of as results_of
from reference.values.inputs import Inputs
from reference.values.kernels import Interfaces
from reference.values.machine import Machine
from reference.values.outcome import Outcome
from reference.values.terms import Terms


def run(program: Program, inputs: Inputs, terms: Terms, interfaces: Interfaces) -> Trace:
    """The public functions, called in order, after the initializers.

    `inputs` and `interfaces` are those of the program as it was written; outcomes compare with
    those of other programs of the same `terms`. Raises OutOfBoundsError, EndlessError, and
    UnsupportedOperationError for what is not modelled.
    """
    memory = CommandMemory()
    machine: Machine[Buffer] = Machine(program, memory, terms, interfaces, inputs, COMMAND_RULES)
    results = tuple(results_of(_as_called(program, inputs), machine))
    return Trace(
        events=tuple(memory.events),
        touches=memory.touches,
        exports=tuple(memory.exports),
        outcome=Outcome(results, undefined=machine.undefined),
    )


def _as_called(program: Program, inputs: Inputs) -> Program:
    """The program with no other public functions than the one that was written: what a pass adds,
    such as a function that tells the size of transients, nobody calls."""
    functions = tuple(
        function if function.name in inputs.numbers else replace(function, public=False)
        for function in program.functions
    )
    return replace(program, functions=functions)
