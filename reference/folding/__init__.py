"""Folding: what MLIR's greedy rewriter leaves of a Stream program.

`canonicalize(program, release)` is one run of the pass `canonicalize` on every function and
initializer. `driver.rewrite` is the rewriter itself, which runs in another configuration at the end
of `iree-stream-schedule-execution` (`reference/scheduling/schedule.py`).

The order in which rules are tried is part of the answer, so the driver, its worklist and the order
of uses are modelled (`driver.py`, `rewriter.py`, `working.py`), and each fold and pattern of IREE
is a function of its own, in the file of its op. `catalogue.py` lists the ops that have rules.
"""

from reference.folding.canonicalize import canonicalize

__all__ = ["canonicalize"]
