"""Profiles: found by name, complete, and within range."""

from __future__ import annotations

import pickle
from dataclasses import fields

import pytest

from gen.constructs.registry import CONSTRUCTS
from gen.motifs import MOTIFS
from gen.profiles import PROFILES, Level, Profile, profile_named
from gen.programs import OPERATIONS

parametrize_profiles = pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda p: p.name)


def test_the_names_people_type() -> None:
    assert {"default", "placement", "no-on", "stream", "nightly", "small"} <= set(PROFILES)
    assert {"control-flow", "calls", "globals", "timepoints", "affinities"} <= set(PROFILES)
    assert all(profile_named(name).name == name for name in PROFILES)


def test_an_unknown_name_lists_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"'nigthly'; there are default, .*nightly"):
        profile_named("nigthly")


@parametrize_profiles
def test_probabilities_are_probabilities(profile: Profile) -> None:
    for field in fields(profile):
        value = getattr(profile, field.name)
        if isinstance(value, float) and field.name != "average":
            assert 0 <= value <= 1, field.name
    assert 0 <= profile.minimum <= profile.average <= profile.maximum
    assert 1 <= len(profile.device_weights) <= 4


@parametrize_profiles
def test_weights_name_what_there_is(profile: Profile) -> None:
    assert {name for name, _ in profile.operations} <= set(OPERATIONS)
    assert {name for name, _ in profile.motifs} <= set(MOTIFS)
    assert {name for name, _ in profile.constructs} <= set(CONSTRUCTS)


def test_default_weighs_everything() -> None:
    default = profile_named("default")
    assert {name for name, weight in default.operations if weight} == set(OPERATIONS)
    assert {name for name, weight in default.motifs if weight} == set(MOTIFS)


@parametrize_profiles
def test_profiles_travel_to_worker_processes(profile: Profile) -> None:
    assert pickle.loads(pickle.dumps(profile)) == profile
    assert hash(profile) == hash(pickle.loads(pickle.dumps(profile)))


def test_levels() -> None:
    assert profile_named("stream").level is Level.STREAM
    assert profile_named("placement").level is Level.RESOLVED
    assert profile_named("placement").stream_share == 0
