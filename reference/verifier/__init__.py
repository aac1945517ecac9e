"""What makes a program valid and well-formed: `verify(program)` gives its problems.

One file a kind of rule: `structure.py` (blocks, regions, dominance), `symbols.py` (functions,
globals, calls), `handovers.py` (values along control flow), `wellformed.py` (what more it takes
for a program to accuse a compiler).
"""

from reference.verifier.verify import (
    PROGRAM_RULES,
    VALID_RULES,
    level_of,
    verify,
    verify_module,
)

__all__ = ["PROGRAM_RULES", "VALID_RULES", "level_of", "verify", "verify_module"]
