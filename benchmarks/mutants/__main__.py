"""`python -m benchmarks.mutants`."""

from __future__ import annotations

from benchmarks.mutants.command import main

main()
