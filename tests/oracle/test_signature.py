"""Signatures: the same words for the same cause, others for another."""

from __future__ import annotations

from dataclasses import replace

import pytest
from samples import A, B, resource

from oracle.compiling.stages import pipeline
from oracle.signature import (
    file_name,
    of_kinds,
    of_message,
    of_refusal,
    of_transfer,
    shows_by_chance,
)
from oracle.verdict import Fault, Verdict
from reference.affinity import Affinity
from reference.ops import Transfer
from reference.types import Lifetime

TRANSFER = Transfer(
    identity="op1", source=resource("x", Lifetime.EXTERNAL), result=resource("y", Lifetime.STAGING),
    source_affinity=A, target_affinity=B,
)  # fmt: skip


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("op '%5' of @main has 3 uses", "op-of-has-uses"),
        ("'stream.async.copy' op size 16 != 20", "stream.async.copy-op-size"),
        ('expected "a name" here', "expected-here"),
        ("source.mlir:3:4: expected", "expected"),
        ('loc("op14"): expected', "expected"),
        ('loc(callsite("op6" at fused["op9", "a.mlir":3:4])): expected', "expected"),
        ("type #hal.device.affinity<@dev_a, [0, 2]> is bad", "type-is-bad"),
        (
            'uses partition output %3 = "stream.async.barrier"(%2, %1) - this is bad',
            "uses-partition-output",
        ),
        ("first line\nsecond line", "first-line"),
        ("source.mlir:113:3: 'util.global.load' op undefined", "util.global.load-op-undefined"),
        ("block ^bb12 is bad", "block-is-bad"),
        ("", "no-message"),
        ("  \n", "no-message"),
        ("'%1' 42", "no-message"),
        ("unresolved source materialization from ()", "unresolved-materialization-from"),
        ("unresolved target materialization from ('i1')", "unresolved-materialization-from"),
        ("unresolved materialization from ('i1')", "unresolved-materialization-from"),
    ],
)
def test_messages_lose_names_and_numbers(message: str, words: str) -> None:
    assert of_message(message) == words


def test_long_messages_are_cut_at_the_same_place() -> None:
    words = of_message("word " * 100)
    assert len(words) <= 90
    assert words == of_message("word " * 101)
    assert not words.endswith("-")


def test_a_message_of_words_is_a_signature_of_its_own() -> None:
    words = of_message("failed to schedule execution partitions")
    assert of_message(words.replace("-", " ")) == words


def test_transfers_tell_lifetimes_and_reach() -> None:
    assert of_transfer(TRANSFER) == ("external-to-staging", "cross-device")
    assert of_transfer(replace(TRANSFER, target_affinity=A))[1] == "same-device"
    assert of_transfer(replace(TRANSFER, target_affinity=None))[1] == "unplaced-end"
    queue = Affinity(A.device, 0b10)
    assert of_transfer(replace(TRANSFER, target_affinity=queue))[1] == "same-device"
    explicit = replace(TRANSFER, explicit_affinity=B)
    assert of_transfer(explicit) == ("external-to-staging", "cross-device", "explicit-on")
    unknown = replace(TRANSFER, source=resource("x", Lifetime.UNKNOWN))
    assert of_transfer(unknown)[0] == "any-to-staging"


def test_transfers_do_not_tell_names_or_sizes() -> None:
    other = Transfer(
        identity="op99", source=resource("p", Lifetime.EXTERNAL, 400),
        result=resource("q", Lifetime.STAGING, 400), source_affinity=B, target_affinity=A,
    )  # fmt: skip
    assert of_transfer(other) == of_transfer(TRANSFER)


def test_kinds_are_told_once_and_in_order() -> None:
    kinds = ["stream.async.transfer", "stream.async.clone", "stream.async.transfer"]
    assert of_kinds(kinds) == "clone+transfer"
    assert of_kinds([]) == "nothing"


def test_folder_names() -> None:
    name = file_name("accept/schedule-execution/crash/SIG SEGV:../..")
    assert "/" not in name
    assert not name.startswith(".")
    assert len(file_name("x" * 1000)) <= 150
    assert file_name("accept/a/b") != file_name("accept/a-b")


def test_long_signatures_that_differ_have_folders_that_differ() -> None:
    start = "accept/stage/" + "word-" * 40
    assert file_name(f"{start}one") != file_name(f"{start}other")


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [("a", "b", "two-devices"), ("a", "a, [0]", "one-device"), ("a, [1]", "a", "one-device")],
)
def test_a_message_says_whether_its_affinities_are_of_one_device(
    one: str, other: str, apart: str
) -> None:
    affinities = [f"#hal.device.affinity<@{device}>" for device in (one, other)]
    message = f"op affinity {affinities[0]} is not compatible with {affinities[1]}"
    assert of_message(message).endswith(f"-is-not-compatible-with-{apart}")


def test_affinities_in_a_printed_op_say_nothing() -> None:
    attribute = "affinity = #hal.device.affinity<@a>"
    message = f'circular dependency: uses %3 = "stream.async.barrier"(%2) <{{{attribute}}}>'
    assert of_message(message) == "circular-dependency-uses"


EDGE = "'scf.for' op along control flow edge from {}: "
RESOURCES = "'!stream.resource<external>'", "'!stream.resource<transient>'"


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (f"{EDGE.format('parent to parent')}successor operand type #0 {RESOURCES[0]} should match "
         f"successor input type #0 {RESOURCES[1]}", "scf.for-types-differ"),
        (f"{EDGE.format('Operation scf.yield to Region #0')}successor operand type #1 "
         f"{RESOURCES[1]} should match successor input type #1 {RESOURCES[0]}",
         "scf.for-types-differ"),
        ("type mismatch for bb argument #0 of successor #0", "types-differ"),
        ("'util.call' op function type mismatch; expected '() -> ()' but callee is '(i1) -> ()'",
         "util.call-types-differ"),
        (f"'util.return' op type of return operand 0 ({RESOURCES[0]}) doesn't match function "
         f"result type ({RESOURCES[1]})", "util.return-types-differ"),
        ("'stream.async.slice' op failed to verify that all of {source, result} have same type",
         "stream.async.slice-types-differ"),
        (f'\'util.global.store\' op global type mismatch; global "g0" is {RESOURCES[0]}',
         "util.global.store-types-differ"),
        (f"{EDGE.format('parent to Region #1')}region branch point has 2 operands",
         "scf.for-hands-on-region-branch-point-has-operands"),
        ("'stream.async.load' op operand #0 must be staging resource",
         "stream.async.load-op-operand-must-be-staging-resource"),
    ],
)  # fmt: skip
def test_which_edge_notices_that_types_differ_is_not_told(message: str, words: str) -> None:
    assert of_message(message) == words
    assert of_refusal("refine-usage", message) == words
    differ = words.endswith("types-differ")
    assert of_refusal("schedule-allocation", message) == ("types-differ" if differ else words)


def test_a_pass_that_runs_again_is_the_same_pass() -> None:
    fault = Fault(
        check="value", verdict=Verdict.WRONG_VALUE, stage="elide-async-copies-again",
        shape=("changed",), message="", expected="", actual="", stock_arguments=(),
    )  # fmt: skip
    assert fault.signature == "value/elide-async-copies/changed"
    assert fault.stage in {one.name for one in pipeline("3.13.0")}


@pytest.mark.parametrize(
    ("note", "relation"),
    [
        ("operand defined here (op in the same block)", "/in-its-block"),
        ("operand defined here (op is neither in a parent nor in a child region)", "/elsewhere"),
        ("operand defined as a block argument (block #0 in a child region)", "/elsewhere"),
        ("see current operation: %3 = ...", ""),
    ],
)
def test_where_an_operand_is_that_does_not_dominate_is_told(note: str, relation: str) -> None:
    said = of_refusal("canonicalize", "operand #0 does not dominate this use", note)
    assert said == f"operand-does-not-dominate-this-use{relation}"


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("start > end", "range-contradicts-itself"),
        ("length > end", "range-contradicts-itself"),
        ("start + length != end", "range-contradicts-itself"),
        ("start > resource size", "range-beyond-resource"),
        ("length > resource size", "range-beyond-resource"),
        ("end > resource size", "range-beyond-resource"),
    ],
)
def test_whose_range_is_wrong_is_chance(reason: str, words: str) -> None:
    for op, access in (("fill", "Write"), ("dispatch", "Read|Write")):
        said = (
            f"'stream.async.{op}' op has invalid {access} access range [20 to 16 for 8] of "
            f"resource %0#0 with size 16; {reason}"
        )
        assert of_refusal("verify-async-access-ranges", said) == words
        assert of_refusal("canonicalize", said) == of_message(said)


@pytest.mark.parametrize(
    ("signature", "chance"),
    [
        ("determinism/cse/differs", True),
        ("run/run/when-concurrent", True),
        ("run/run/wrong-bytes/load/new/same-device", False),
    ],
)
def test_what_shows_by_chance(signature: str, chance: bool) -> None:
    assert shows_by_chance(signature) is chance
