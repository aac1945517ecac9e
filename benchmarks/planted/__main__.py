"""`python -m benchmarks.planted`."""

from benchmarks.planted.command import main

main()
