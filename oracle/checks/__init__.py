"""The checks by name, one a file. To add one: its file, its line here, a test that it can fail."""

from __future__ import annotations

from oracle.checks.accept import Accept
from oracle.checks.access import Access
from oracle.checks.affinity import AffinityAgreement
from oracle.checks.allocation import AllocationAgreement
from oracle.checks.base import Check
from oracle.checks.coverage import Coverage
from oracle.checks.determinism import Determinism
from oracle.checks.execution import Execution
from oracle.checks.fold import Fold
from oracle.checks.hazard import Hazard
from oracle.checks.idempotence import Idempotence
from oracle.checks.placement import Placement
from oracle.checks.roundtrip import Roundtrip
from oracle.checks.run import Run
from oracle.checks.schedule import Schedule
from oracle.checks.symmetry import Symmetry
from oracle.checks.value import Value

_ALL: tuple[Check, ...] = (
    Accept(),
    Placement(),
    Schedule(),
    Coverage(),
    Execution(),
    Symmetry(),
    AffinityAgreement(),
    AllocationAgreement(),
    Fold(),
    Value(),
    Hazard(),
    Access(),
    Run(),
    Roundtrip(),
    Determinism(),
    Idempotence(),
)
"""In the order in which they are asked: acceptance first, then those that look at more on the way
to where others look too, so that these go on from there."""

CHECKS: dict[str, Check] = {check.name: check for check in _ALL}

AGREEMENTS = frozenset({"affinity", "allocation", "fold", "placement", "schedule"})
"""Checks that compare with the model: counted as agree or disagree; the others hold or break."""
