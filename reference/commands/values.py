"""What a program of the command level returns, for comparison with what it was written to."""

from __future__ import annotations

from reference.commands.run import run
from reference.ir import Program
from reference.values.inputs import Inputs
from reference.values.kernels import Interfaces
from reference.values.outcome import Outcome
from reference.values.terms import Terms


def evaluate_commands(
    program: Program, inputs: Inputs, terms: Terms, interfaces: Interfaces
) -> Outcome:
    """What the public functions return, called in order, and what globals hold then.

    As `evaluate` of `reference/values/evaluation.py`: outcomes may be compared that were made with
    the same `terms` and `interfaces`. Commands run in the order of their text: where nothing orders
    two of them the values may be others, which is a hazard. Raises OutOfBoundsError, EndlessError,
    and UnsupportedOperationError for what is not modelled.
    """
    return run(program, inputs, terms, interfaces).outcome
