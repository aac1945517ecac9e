"""The checks by name, one a file. To add one: its file, its line here, a test that it can fail."""

from __future__ import annotations

from oracle.checks.accept import Accept
from oracle.checks.base import Check
from oracle.checks.determinism import Determinism
from oracle.checks.idempotence import Idempotence
from oracle.checks.placement import Placement
from oracle.checks.roundtrip import Roundtrip

_ALL: tuple[Check, ...] = (Placement(), Accept(), Roundtrip(), Determinism(), Idempotence())

CHECKS: dict[str, Check] = {check.name: check for check in _ALL}

AGREEMENTS = frozenset({"placement"})
"""Checks that compare with the model: counted as agree or disagree; the others hold or break."""
