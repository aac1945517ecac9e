"""Mutants of the reference model: `python -m benchmarks.mutants`.

Each rule of `reference/` is changed in turn, and the changed model is put to programs whose answers
from the real compiler were recorded once. A mutant that nothing tells from the model is a rule that
fuzzing does not hold the compiler to.
"""
