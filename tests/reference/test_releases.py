from __future__ import annotations

import pytest

from reference.releases import RELEASES, release_rules


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.version)
def test_a_known_release_has_its_own_rules(release):
    assert release_rules(f"{release.version}.0") == (release, True)


@pytest.mark.parametrize(
    ("version", "explicit"),
    [("3.11.0", False), ("3.12.0", True), ("3.13.0", True)],
)
def test_transfers_execute_explicitly_from_3_12_on(version, explicit):
    assert release_rules(version)[0].explicit_transfer_execution is explicit


def test_a_candidate_or_nightly_build_counts_as_its_release():
    assert release_rules("3.12.0rc20260801") == (RELEASES[1], True)
    assert release_rules("v3.13") == (RELEASES[2], True)


def test_a_newer_release_has_the_newest_rules():
    assert release_rules("3.14.0") == (RELEASES[-1], False)
    assert release_rules("4.0.1") == (RELEASES[-1], False)


def test_an_older_release_has_the_oldest_rules():
    assert release_rules("3.9.0") == (RELEASES[0], False)
    assert release_rules("2.99") == (RELEASES[0], False)


def test_numbers_are_compared_as_numbers():
    assert release_rules("3.2.0") == (RELEASES[0], False)


@pytest.mark.parametrize("text", ["", "main", "3", "three.four"])
def test_what_is_no_version_is_refused(text):
    with pytest.raises(ValueError, match="not an IREE version"):
        release_rules(text)
