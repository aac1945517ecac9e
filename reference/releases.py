"""IREE's releases as data: every difference between them that the model knows, in one table.

A rule that is not the same in all releases asks a field of `Release`, never a version number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Release:
    """The semantics of one release; `version` is `major.minor`."""

    version: str
    explicit_transfer_execution: bool
    """Change #24748: `stream.async.transfer` has `on(…)`, `iree-stream-place-transfer-executions`
    exists, and a transfer joins its producer's partition only where both can execute together."""
    refuses_cyclic_schedule: bool
    """Change #24270: `iree-stream-schedule-execution` stops at a cycle between regions. Before, the
    cleanup after it ran on the cycle, and only what was left of it failed verification."""
    async_cast: bool
    """`stream.async.cast` exists."""
    dispatch_affinity_reaches_tied_results: bool
    """Change #24270: a dispatch's own affinity is where its tied results are made, too, besides
    where the operand is that they are stored in."""
    while_yield_reaches_results: bool
    """Before changes #24723 and #24795, the affinity analysis took what the body of an `scf.while`
    yields for a result of the loop, by position: it read past the results where fewer came out than
    go round, and a value on another device widened a result's affinities."""
    deduplicates_imports_and_exports: bool
    """Change #24655: `canonicalize` makes one of equal `stream.tensor.import` or `export` ops of a
    block."""
    loads_slice_cloned_sources: bool
    """Change #24740: `canonicalize` makes a load from a transferred clone one from a transferred
    slice of what was cloned."""
    inlines_single_turn_loops_first: bool
    """MLIR's `canonicalize` inlines an `scf.for` that runs once before it looks at what the loop
    carries; before, after that. (Seen with `canonicalize{max-num-rewrites=1}`: the text of
    mlir/lib/Dialect/SCF/IR/SCF.cpp at the releases' own revisions was not at hand.)"""


RELEASES = (
    Release(
        "3.11",
        explicit_transfer_execution=False,
        refuses_cyclic_schedule=False,
        async_cast=False,
        dispatch_affinity_reaches_tied_results=False,
        while_yield_reaches_results=True,
        deduplicates_imports_and_exports=False,
        loads_slice_cloned_sources=False,
        inlines_single_turn_loops_first=False,
    ),
    Release(
        "3.12",
        explicit_transfer_execution=True,
        refuses_cyclic_schedule=True,
        async_cast=True,
        dispatch_affinity_reaches_tied_results=True,
        while_yield_reaches_results=False,
        deduplicates_imports_and_exports=True,
        loads_slice_cloned_sources=True,
        inlines_single_turn_loops_first=True,
    ),
    Release(
        "3.13",
        explicit_transfer_execution=True,
        refuses_cyclic_schedule=True,
        async_cast=True,
        dispatch_affinity_reaches_tied_results=True,
        while_yield_reaches_results=False,
        deduplicates_imports_and_exports=True,
        loads_slice_cloned_sources=True,
        inlines_single_turn_loops_first=True,
    ),
)
"""Oldest first. 3.13 has no difference from 3.12 that the model knows."""

_VERSION = re.compile(r"v?(\d+)\.(\d+)")


def release_rules(version: str) -> tuple[Release, bool]:
    """The rules for a compiler that says it is `version`, and whether that release is known.

    `version` starts with `major.minor` (`3.12.0`, `3.13.0rc20261001`). A release newer than all
    known ones has the newest rules, an older one the oldest, one between two known ones those of
    the older. Raises ValueError for text that starts otherwise.
    """
    match = _VERSION.match(version)
    if match is None:
        raise ValueError(f"not an IREE version: {version!r}")
    wanted = (int(match[1]), int(match[2]))
    rules = RELEASES[0]
    for release in RELEASES:
        if _numbers(release) <= wanted:
            rules = release
    return rules, _numbers(rules) == wanted


def _numbers(release: Release) -> tuple[int, int]:
    major, minor = release.version.split(".")
    return int(major), int(minor)
