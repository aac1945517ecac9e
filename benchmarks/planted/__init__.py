"""Faults planted behind the compiler's passes, and which check notices them:
`python -m benchmarks.planted`."""
