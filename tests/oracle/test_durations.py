"""Times and parts of runs as people write them."""

from __future__ import annotations

import click
import pytest

from oracle.commands.durations import Duration, Shard


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90.0), ("10m", 600.0), ("8h", 28800.0), ("1.5m", 90.0), ("0.5s", 0.5), (3, 3.0)],
)
def test_times(text: object, seconds: float) -> None:
    assert Duration().convert(text, None, None) == seconds


@pytest.mark.parametrize("text", ["", "10", "m", "-1s", "1d", "1 m", "1m30s", "1e3s", "0s"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(click.BadParameter):
        Duration().convert(text, None, None)


def test_a_time_says_what_it_should_be() -> None:
    with pytest.raises(click.BadParameter, match="'soon' is not a time such as 90s, 10m or 8h"):
        Duration().convert("soon", None, None)


@pytest.mark.parametrize(("text", "part"), [("1/1", (1, 1)), ("2/5", (2, 5)), ((1, 2), (1, 2))])
def test_parts(text: object, part: tuple[int, int]) -> None:
    assert Shard().convert(text, None, None) == part


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "1/0", "-1/2", "a/b", "1/2/3", "1.0/2"])
def test_what_is_no_part(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is not a part such as 2/5"):
        Shard().convert(text, None, None)
