"""One rule of a pass, one name: each with what it takes in and what it leaves alone."""

from __future__ import annotations

import pytest

from oracle.checks.causes import hazard_shape, hazard_shapes, value_shape
from reference.commands.breaches import Breach

WITHOUT_WAIT = ("unordered", "without-wait")


@pytest.mark.parametrize(
    ("stage", "shape", "expected"),
    [
        ("elide-timepoints", ("before-allocation", "region"), WITHOUT_WAIT),
        ("elide-timepoints", ("given-back-too-early",), WITHOUT_WAIT),
        ("elide-timepoints", ("overlapping",), ("overlapping",)),
        ("schedule-allocation", ("given-back-too-early",), ("given-back-too-early",)),
        ("cse", ("overlapping",), ("shared",)),
        ("emplace-transients", ("unordered", "written-in-place"), ("shared",)),
        ("emplace-transients", ("unwritten",), ("unwritten",)),
        ("schedule-execution", ("overlapping",), ("overlapping",)),
    ],
)
def test_breaches_at_the_command_level(
    stage: str, shape: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    assert hazard_shape(stage, shape) == expected


@pytest.mark.parametrize("stage", ["cse", "elide-timepoints", "emplace-transients", "inline"])
@pytest.mark.parametrize(
    "breach",
    [
        Breach(("overlapping",), ("overlapping", "a"), ()),
        Breach(("unordered", "within-a-region"), ("unordered", "a", "b"), ()),
        Breach(("unordered", "read-after-write", "host"), ("unordered", "a"), ()),
        Breach(("before-allocation", "region"), ("before-allocation", "a"), ()),
        Breach(("given-back-too-early",), ("after-deallocation", "a"), ()),
        Breach(("unwritten",), ("unwritten", "a"), ()),
    ],
    ids=lambda one: one.shape[0] if isinstance(one, Breach) else one,
)
def test_what_a_pass_makes_of_a_name_is_one_that_the_breach_may_have(
    stage: str, breach: Breach
) -> None:
    assert hazard_shape(stage, breach.shape) in hazard_shapes(breach)


def test_a_breach_has_no_name_of_another_kind() -> None:
    assert hazard_shapes(Breach(("unwritten",), ("unwritten", "a"), ())) == {("unwritten",)}
    early = hazard_shapes(Breach(("before-allocation", "region"), ("before-allocation", "a"), ()))
    assert ("shared",) not in early
    assert ("overlapping",) not in early


@pytest.mark.parametrize(
    ("stage", "shape", "expected"),
    [
        (
            "elide-async-copies",
            ("written-over", "without-splat", "fill"),
            ("written-over", "without-clone", "fill"),
        ),
        (
            "elide-async-copies",
            ("written-over", "without-transfer", "fill"),
            ("written-over", "without-transfer", "fill"),
        ),
        ("canonicalize", ("written-over", "without-splat"), ("written-over", "without-splat")),
        ("refine-usage", ("written-over", "aliased", "copy"), ("written-over", "shared")),
        ("refine-usage", ("changed", "copy"), ("changed", "copy")),
        ("materialize-builtins", ("changed", "dispatch", "fill"), ("changed", "dispatch")),
        ("materialize-builtins", ("changed", "another-value"), ("changed", "dispatch")),
        ("inline", ("changed", "dispatch", "fill"), ("changed", "dispatch", "fill")),
        (
            "canonicalize",
            ("changed", "another-value", "for-copy"),
            ("changed", "another-value", "for-fill"),
        ),
        (
            "canonicalize",
            ("changed", "another-value", "for-clone"),
            ("changed", "another-value", "for-clone"),
        ),
        (
            "refine-usage",
            ("changed", "another-value", "for-copy"),
            ("changed", "another-value", "for-copy"),
        ),
        (
            "canonicalize",
            ("written-over", "without-clone", "exported"),
            ("written-over", "without-clone", "directly"),
        ),
        (
            "elide-async-copies",
            ("written-over", "not-copied", "exported"),
            ("written-over", "not-copied", "exported"),
        ),
        (
            "canonicalize",
            ("written-over", "without-clone", "aliased"),
            ("written-over", "without-clone", "directly"),
        ),
        (
            "canonicalize",
            ("written-over", "without-clone", "handed-on"),
            ("written-over", "handed-on"),
        ),
        (
            "elide-async-copies",
            ("written-over", "without-splat", "aliased"),
            ("written-over", "aliased"),
        ),
    ],
)
def test_values_that_are_wrong(
    stage: str, shape: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    assert value_shape(stage, shape) == expected
