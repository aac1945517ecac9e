"""What programs reduce to: exactly, for well-known predicates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from samples import Ask

from oracle.commands.reduce import reduce
from oracle.reduction.reducer import NotShownError, Reduced, Reducer
from oracle.reduction.tree import Tree, places, size_of, text_of, tree_of

PROGRAM = """module attributes {stream.affinity.default = #hal.device.affinity<@dev_a>} {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.global private mutable @state : !stream.resource<variable>
  util.func private @helper(%x: !stream.resource<transient>, %size: index)
      -> !stream.resource<transient> {
    %y = stream.async.clone %x : !stream.resource<transient>{%size}
      -> !stream.resource<transient>{%size}
    util.return %y : !stream.resource<transient>
  }
  util.func public @main(%size: index, %flag: i1, %count: index)
      -> (!stream.resource<external>, !stream.resource<transient>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %c7_i32 = arith.constant 7 : i32
    %a = stream.async.splat on(#hal.device.affinity<@dev_a>) %c7_i32 : i32
      -> !stream.resource<transient>{%size}
    %b = stream.async.transfer %a : !stream.resource<transient>{%size}
      from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>)
      !stream.resource<transient>{%size}
    %held = stream.async.splat %c7_i32 : i32 -> !stream.resource<variable>{%c256}
    util.global.store %held, @state : !stream.resource<variable>
    %if = scf.if %flag -> !stream.resource<transient> {
      %d:2 = stream.async.dispatch on(#hal.device.affinity<@dev_b>)
        @ex::@d[%c1, %c1](%b[%c0 to %size for %size], %c7_i32, %b[%c0 to %size for %size])
        : (!stream.resource<transient>{%size}, i32, !stream.resource<transient>{%size})
        -> (!stream.resource<transient>{%size}, !stream.resource<transient>{%size})
      scf.yield %d#0 : !stream.resource<transient>
    } else {
      scf.yield %b : !stream.resource<transient>
    }
    %loop = scf.for %i = %c0 to %count step %c1 iter_args(%carried = %if)
        -> !stream.resource<transient> {
      %called = util.call @helper(%carried, %size)
        : (!stream.resource<transient>, index) -> !stream.resource<transient>
      scf.yield %called : !stream.resource<transient>
    }
    cf.cond_br %flag, ^then, ^else
  ^then:
    cf.br ^end(%loop : !stream.resource<transient>)
  ^else:
    %e = stream.async.clone on(#hal.device.affinity<@dev_b>) %loop
      : !stream.resource<transient>{%size} -> !stream.resource<transient>{%size}
    cf.br ^end(%e : !stream.resource<transient>)
  ^end(%last: !stream.resource<transient>):
    %out = stream.async.transfer %last : !stream.resource<transient>{%size}
      from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_b>)
      !stream.resource<external>{%size}
    util.return %out, %b : !stream.resource<external>, !stream.resource<transient>
  }
}
"""


def names(tree: Tree) -> Counter[str]:
    return Counter(place.operation["name"] for place in places(tree))


@pytest.fixture
def reduced(ask: Ask) -> Callable[[Callable[[Tree], bool]], Reduced]:
    """Reduces PROGRAM for a predicate on trees; what does not parse does not show it."""

    def parsed(text: str) -> Tree | None:
        try:
            (read,) = ask(text, ["read"])
        except AssertionError:
            return None
        return tree_of(read)

    def run(predicate: Callable[[Tree], bool]) -> Reduced:
        tree = parsed(PROGRAM)
        assert tree is not None

        def shows(text: str) -> bool:
            made = parsed(text)
            return made is not None and predicate(made)

        return Reducer(shows).reduce(tree)

    return run


NEEDS = {
    "stream.async.transfer": {"arith.constant": 1},
    "stream.async.dispatch": {"arith.constant": 1},
    "util.global.store": {"util.global": 1},
    "scf.for": {"arith.constant": 3, "scf.yield": 1},
    "scf.if": {"scf.yield": 2},
    "cf.cond_br": {"cf.br": 2},
    "util.call": {"util.func": 1, "util.return": 1},
}
"""What an op cannot be without, beside the function that it is in and its return."""


@pytest.mark.parametrize("kept", NEEDS)
def test_what_holds_one_op_reduces_to_it_and_what_it_needs(
    reduced: Callable[[Callable[[Tree], bool]], Reduced], kept: str
) -> None:
    result = reduced(lambda tree: names(tree)[kept] > 0)
    expected = Counter({kept: 1, "util.func": 1, "util.return": 1}) + Counter(NEEDS[kept])
    assert names(result.tree) == expected, text_of(result.tree)


def test_nothing_is_left_of_a_program_that_always_shows_it(
    reduced: Callable[[Callable[[Tree], bool]], Reduced],
) -> None:
    assert size_of(reduced(lambda tree: True).tree) == 0


def test_a_relation_between_two_ops_is_kept(
    reduced: Callable[[Callable[[Tree], bool]], Reduced],
) -> None:
    def chained(tree: Tree) -> bool:
        moved = {
            value
            for place in places(tree)
            if place.operation["name"] == "stream.async.transfer"
            for value, _ in place.operation["results"]
        }
        return any(
            place.operation["name"] == "stream.async.dispatch"
            and moved.intersection(place.operation["operands"])
            for place in places(tree)
        )

    result = reduced(chained)
    found = names(result.tree)
    assert found["stream.async.transfer"] == found["stream.async.dispatch"] == 1
    assert size_of(result.tree) == 2, text_of(result.tree)


def test_the_result_is_minimal(reduced: Callable[[Callable[[Tree], bool]], Reduced]) -> None:
    """No single step of any kind can be taken any more: reducing again changes nothing."""

    def predicate(tree: Tree) -> bool:
        return names(tree)["stream.async.dispatch"] > 0 and names(tree)["scf.if"] > 0

    tree = reduced(predicate).tree
    again = Reducer(lambda text: text == text_of(tree)).reduce(tree)
    assert text_of(again.tree) == text_of(tree)


def test_devices_are_not_merged_to_and_fro(
    reduced: Callable[[Callable[[Tree], bool]], Reduced],
) -> None:
    """What holds for both devices in turn made the reducer go round for ever."""

    def two_affinities(tree: Tree) -> bool:
        told = {str(place.operation["attributes"].get("affinity")) for place in places(tree)}
        return names(tree)["util.global"] >= 2 and len(told) >= 2

    result = reduced(two_affinities)
    assert names(result.tree)["util.global"] == 2
    assert size_of(result.tree) == 1, text_of(result.tree)


def test_a_function_ends_where_the_fault_is(
    reduced: Callable[[Callable[[Tree], bool]], Reduced],
) -> None:
    """What must be returned is returned itself, not what was made of it further on."""

    def returns_something_sent(tree: Tree) -> bool:
        sent = {
            value
            for place in places(tree)
            if place.operation["name"] == "stream.async.transfer"
            for value, _ in place.operation["results"]
        }
        returned = {
            value
            for place in places(tree)
            if place.operation["name"] == "util.return"
            for value in place.operation["operands"]
        }
        return bool(sent) and bool(returned)

    result = reduced(returns_something_sent)
    assert size_of(result.tree) == 2, text_of(result.tree)


@pytest.mark.parametrize("kept", ["stream.async.dispatch", "scf.for"])
def test_several_candidates_at_once_come_to_the_same(
    reduced: Callable[[Callable[[Tree], bool]], Reduced], ask: Ask, kept: str
) -> None:
    tree = reduced(lambda tree: names(tree)[kept] > 0).tree
    (read,) = ask(PROGRAM, ["read"])
    asked: list[int] = []

    def shows(text: str) -> bool:
        try:
            (parsed,) = ask(text, ["read"])
        except AssertionError:
            return False
        return names(tree_of(parsed))[kept] > 0

    def several(texts: Sequence[str]) -> list[bool]:
        asked.append(len(texts))
        return [shows(text) for text in texts]

    result = Reducer(shows, shows_several=several, width=3).reduce(tree_of(read))
    assert text_of(result.tree) == text_of(tree)
    assert max(asked) == 3


def test_a_fault_that_does_not_show_is_an_error(
    reduced: Callable[[Callable[[Tree], bool]], Reduced],
) -> None:
    with pytest.raises(NotShownError):
        reduced(lambda tree: False)


def test_the_command_names_what_a_file_shows(tmp_path: Path) -> None:
    sound = tmp_path / "sound.mlir"
    sound.write_text("util.func public @f() {\n  util.return\n}\n")
    result = CliRunner().invoke(reduce, [str(sound), "--checks", "accept"])
    assert result.exit_code == 2
    assert "shows no fault" in result.output
    missing = CliRunner().invoke(reduce, [str(tmp_path / "none.mlir"), "--checks", "accept"])
    assert missing.exit_code == 2
