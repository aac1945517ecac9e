"""`placement` before 3.12, where the answer is a region: copies of one op in several of them."""

from __future__ import annotations

import pytest
from samples import A, B, program, resource

from oracle.checks.base import Subject
from oracle.checks.placement import _differences
from oracle.reading.raw import COPY_MARK
from oracle.reading.reader import TransferSite
from reference.affinity import Affinity
from reference.ops import Transfer
from reference.releases import release_rules
from reference.types import Lifetime, Value

OLD, _ = release_rules("3.11")


def moved(identity: str, source: Value) -> Transfer:
    return Transfer(
        identity=identity, source=source, result=resource(f"{identity}_result"),
        source_affinity=A, target_affinity=B, explicit_affinity=None,
    )  # fmt: skip


FROM_CALLER = moved("moved", resource("given", Lifetime.EXTERNAL))
"""Runs where it goes to."""
FROM_HERE = moved(f"moved{COPY_MARK}2", resource("made"))
"""Runs where it comes from."""


@pytest.mark.parametrize(
    ("regions", "different"),
    [((B, A), 0), ((A, B), 0), ((A, A), 1), ((B, B), 1)],
)
def test_regions_may_change_places(regions: tuple[Affinity, Affinity], different: int) -> None:
    transfers = (FROM_CALLER, FROM_HERE)
    whole = program(*transfers, arguments=tuple(one.source for one in transfers))
    sites = {
        one.identity: TransferSite(
            one.source.type, one.result.type, None, A, B, in_region=True, region=region
        )
        for one, region in zip(transfers, regions, strict=True)
    }
    subject = Subject("", whole, OLD, OLD, resolved=True)
    assert len([*_differences(subject, whole, sites)]) == different
