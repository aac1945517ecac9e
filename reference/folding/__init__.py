"""Folding: what MLIR's greedy rewriter leaves of a Stream program.

`canonicalize(program, release)` is one run of the pass `canonicalize` on every function and
initializer. `apply_patterns(region, release, patterns)` is `applyPatternsGreedily` with the default
configuration and all canonicalization patterns, as `iree-stream-schedule-execution` ends;
`patterns` are further ones by kind of op, for example `REMOVE_BARRIERS`.

The order in which rules are tried is part of the answer, so the driver, its worklist and the order
of uses are modelled (`driver.py`, `rewriter.py`, `working.py`), and each fold and pattern of IREE
is a function of its own, in the file of its op. `catalogue.py` lists the ops that have rules.
"""

from reference.folding.canonicalize import REMOVE_BARRIERS, apply_patterns, canonicalize

__all__ = ["REMOVE_BARRIERS", "apply_patterns", "canonicalize"]
