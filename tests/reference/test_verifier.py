"""Each rule of the verifier, broken and kept."""

from __future__ import annotations

from dataclasses import replace

import pytest
from samples import (
    ARGUMENT,
    DYNAMIC,
    LENGTH,
    SAMPLES,
    SEVEN,
    VIEW,
    A,
    B,
    every_op,
    function,
    program,
    resource,
    with_operation,
)

from reference.affinity import Affinity
from reference.ir import Program
from reference.ops import (
    Alloca,
    Barrier,
    Binding,
    Cast,
    Clone,
    Constant,
    Dispatch,
    Import,
    Load,
    Return,
    Slice,
    Splat,
    Store,
    Transfer,
)
from reference.ops.assembly import Range
from reference.types import F32, I8, I32, INDEX, Lifetime, Literal, Value
from reference.verifier import level_of, verify, verify_module
from reference.verifier.problems import Level
from reference.verifier.wellformed import PROGRAM_WELL_FORMED_RULES, WELL_FORMED_RULES

X, Y, Z = resource("x"), resource("y"), resource("z")
STAGED, NEXT = resource("staged", Lifetime.STAGING), resource("next", Lifetime.STAGING)


def splat(result: Value = X, affinity: Affinity | None = A, pattern: Literal = SEVEN) -> Splat:
    return Splat(identity=f"make_{result.name}", pattern=pattern, result=result, affinity=affinity)


def clone(source: Value, result: Value, affinity: Affinity | None = A) -> Clone:
    return Clone(identity=f"make_{result.name}", source=source, result=result, affinity=affinity)


def transfer(
    source: Value, result: Value, sender: Affinity | None = A, receiver: Affinity | None = B
) -> Transfer:
    return Transfer(
        identity=f"make_{result.name}",
        source=source,
        result=result,
        source_affinity=sender,
        target_affinity=receiver,
    )


def store(target: Value, result: Value) -> Store:
    return Store(
        identity=f"make_{result.name}", target=target, offset=0, scalar=SEVEN, result=result
    )


def load(source: Value) -> Load:
    return Load(identity="load", source=source, offset=0, result=Value("loaded", I32))


def barrier(source: Value, result: Value, affinity: Affinity | None = None) -> Barrier:
    return Barrier(identity=f"make_{result.name}", source=source, result=result, affinity=affinity)


def dispatch(*outputs: Value, arguments: tuple[Value, ...] = ()) -> Dispatch:
    return Dispatch(
        identity="dispatch",
        kernel="ex::d",
        workload=(),
        arguments=tuple(Binding(value, Range.of(0, 16)) for value in arguments),
        outputs=outputs,
        ties=(None,) * len(outputs),
        affinity=A,
    )


def returns(*values: Value) -> Return:
    return Return(identity="return", values=values)


BROKEN: list[tuple[str, Program, str]] = [
    ("unique-symbols", replace(program(), devices=("main",)), "@main is defined 2 times"),
    ("unique-symbols", replace(program(), functions=(function(name="a b"),)), "without quotes"),
    ("unique-identities", program(splat(X), replace(splat(Y), identity="make_x")), "2 ops"),
    ("unique-identities", program(replace(splat(), identity='a"')), "as a location"),
    ("known-devices", program(splat(X, Affinity("dev_c"))), "@dev_c, which is no device"),
    ("known-devices", program(splat(), transfer(X, Y, A, Affinity("dev_c"))), "@dev_c"),
    ("own-rules", program(splat(), replace(clone(X, Y), result=STAGED)), "result %staged"),
    ("own-rules", program(dispatch(STAGED)), "result %staged"),
    ("unique-names", program(splat(X), replace(splat(X), identity="other")), "defined twice"),
    ("unique-names", program(splat(resource("c16"))), "also the name of a constant"),
    ("unique-names", program(splat(ARGUMENT), arguments=(ARGUMENT,)), "%argument is defined twice"),
    ("printable-names", program(splat(resource("a b"))), "%a b is no name"),
    ("printable-names", program(splat(resource("a#0"))), "%a#0 is no name"),
    ("printable-names", program(dispatch(resource("a#0"), resource("b#1"))), "%b#1 is no name"),
    ("defined-before-use", program(clone(X, Y)), "%x, which nothing before makes"),
    ("defined-before-use", program(clone(X, Y), splat(X)), "%x, which nothing before makes"),
    ("defined-before-use", program(splat(DYNAMIC)), "%length, which nothing before makes"),
    (
        "defined-before-use",
        program(splat(X), clone(resource("x", Lifetime.EXTERNAL), Y)),
        "%x as !stream.resource<external>; it is !stream.resource<transient>",
    ),
    (
        "defined-before-use",
        program(splat(X), clone(resource("x", size=8), resource("y", size=8))),
        "%x with another size",
    ),
    (
        "complete-sizes",
        program(clone(Value("x", X.type), Value("y", X.type)), arguments=(X,)),
        "without a size",
    ),
    (
        "complete-sizes",
        program(splat(resource("x", size=Value("n", I32))), arguments=(Value("n", I32),)),
        "%x has the size %n, which is i32",
    ),
    ("complete-sizes", program(splat(resource("x", size=-4))), "has -4 bytes"),
    ("fitting-literals", program(splat(pattern=Literal(256, I8))), "256, which is no i8"),
    ("fitting-literals", program(splat(pattern=Literal(-129, I8))), "-129, which is no i8"),
    ("fitting-literals", program(splat(pattern=Literal(1.5, I8))), "takes 1.5 as an i8"),
    (
        "fitting-literals",
        program(replace(dispatch(), arguments=(Literal(float("inf"), F32),))),
        "the constant inf",
    ),
    ("whole-blocks", program(returns(), splat()), "stands before the end"),
    (
        "returned-types",
        replace(program(), functions=(replace(function(), result_types=(INDEX,)),)),
        "returns (), the function (index)",
    ),
    (
        "unshared-store",
        program(splat(), transfer(X, STAGED), store(STAGED, NEXT), load(STAGED)),
        "%staged, which load (stream.async.load) takes too",
    ),
    (
        "unshared-store",
        program(
            splat(),
            transfer(X, STAGED),
            barrier(STAGED, resource("behind", Lifetime.STAGING)),
            store(resource("behind", Lifetime.STAGING), NEXT),
            returns(STAGED),
        ),
        "%staged, which return",
    ),
    ("values-at-home", program(splat(X), clone(X, Y, B)), "%x lives on #hal.device.affinity<@dev_"),
    ("values-at-home", program(splat(X), transfer(X, Y, B, A)), "correct its from"),
    ("values-at-home", program(splat(X), transfer(X, Y), clone(Y, Z, A)), "transfer it first"),
    (
        "values-at-home",
        program(clone(ARGUMENT, X, A), clone(ARGUMENT, Y, B), arguments=(ARGUMENT,)),
        "%argument lives on #hal.device.affinity<@dev_a> (make_x says so)",
    ),
    (
        "values-at-home",
        program(splat(X, A), splat(Y, B), replace(dispatch(arguments=(X, Y)), affinity=None)),
        "says nowhere to run",
    ),
    (
        "values-at-home",
        program(splat(X), barrier(X, Y), clone(Y, Z, B)),
        "%y lives on #hal.device.affinity<@dev_a> (make_x says so)",
    ),
    (
        "values-at-home",
        program(clone(ARGUMENT, X, None), clone(X, Y, B), clone(ARGUMENT, Z, A),
                arguments=(ARGUMENT,)),
        "%argument lives on #hal.device.affinity<@dev_b>",
    ),
    ("given-lifetimes", program(splat(resource("x", Lifetime.CONSTANT))), "make it transient"),
    ("given-lifetimes", program(dispatch(resource("x", Lifetime.VARIABLE))), "make it transient"),
    (
        "given-lifetimes",
        program(splat(), transfer(X, resource("y", Lifetime.VARIABLE))),
        "makes %y as !stream.resource<variable>",
    ),
    (
        "given-lifetimes",
        with_operation(
            replace(SAMPLES[Constant], result=resource("constant", Lifetime.VARIABLE))
        ),
        "make it transient",
    ),
    (
        "encoded-sizes",
        program(replace(SAMPLES[Import], encoding="tensor<5xi32>"), arguments=(VIEW,)),
        "tensor<5xi32> is not 16 bytes but 20",
    ),
]  # fmt: skip

WELL_FORMED = (*PROGRAM_WELL_FORMED_RULES, *WELL_FORMED_RULES)
WELL_FORMED_NAMES = {rule.__name__.replace("_", "-") for rule in WELL_FORMED}


@pytest.mark.parametrize(("rule", "broken", "expected"), BROKEN)
def test_a_broken_rule_is_named(rule: str, broken: Program, expected: str) -> None:
    problems = verify(broken)
    named = [problem for problem in problems if problem.rule == rule]
    assert any(expected in str(problem) for problem in named), problems
    level = Level.WELL_FORMED if rule in WELL_FORMED_NAMES else Level.VALID
    assert {problem.level for problem in named} == {level}
    assert level_of(problems) is (Level.VALID if level is Level.WELL_FORMED else None)


CARE = resource("behind", Lifetime.STAGING)
KEPT = {
    "every op": every_op(),
    "nothing": program(),
    "dynamic size": program(splat(DYNAMIC), arguments=(LENGTH,)),
    "pack": program(dispatch(resource("a#0"), resource("a#1"))),
    "i8 signed and not": program(splat(X, A, Literal(255, I8)), splat(Y, A, Literal(-128, I8))),
    "stores in a row": program(splat(), transfer(X, STAGED), store(STAGED, CARE), store(CARE, NEXT),
                               load(NEXT)),
    "loaded, then stored": program(splat(), transfer(X, STAGED), load(STAGED), store(STAGED, NEXT)),
    "moved, then used there": program(splat(X), transfer(X, Y), clone(Y, Z, B)),
    "queues of one device": program(splat(X), clone(X, Y, Affinity(A.device, 0b1))),
    "nothing says where": program(splat(X, None), clone(X, Y, None), clone(Y, Z, B)),
    "no from": program(splat(X), transfer(X, Y, None)),
    "an argument's home": program(clone(ARGUMENT, X, B), transfer(ARGUMENT, Y, B, A),
                                  clone(Y, Z, A), arguments=(ARGUMENT,)),
    "explicit on elsewhere": program(splat(X), replace(transfer(X, Y), explicit_affinity=B)),
    "constants flow": program(
        SAMPLES[Constant],
        transfer(SAMPLES[Constant].results[0], resource("there", Lifetime.CONSTANT)),
        Slice(identity="part", source=resource("there", Lifetime.CONSTANT), start=0, end=4,
              result=resource("part", Lifetime.CONSTANT, 4), affinity=B),
        replace(dispatch(resource("written", Lifetime.CONSTANT),
                         arguments=(SAMPLES[Constant].results[0],)), ties=(0,)),
    ),
    "a variable argument": program(
        clone(resource("state", Lifetime.VARIABLE), resource("copy", Lifetime.VARIABLE)),
        arguments=(resource("state", Lifetime.VARIABLE),),
    ),
    "unknown lifetimes": program(
        Alloca(identity="a", result=resource("a", Lifetime.UNKNOWN), affinity=A),
        Cast(identity="b", source=resource("a", Lifetime.UNKNOWN), result=X, affinity=A),
    ),
    "a tensor of unknown size": program(
        replace(SAMPLES[Import], encoding="tensor<?xi32>", dimensions=(LENGTH,)),
        arguments=(VIEW, LENGTH),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_a_well_formed_program_has_no_problems(name: str) -> None:
    assert verify(KEPT[name]) == ()
    assert level_of(()) is Level.WELL_FORMED


def test_a_missing_terminator_is_named() -> None:
    whole = function(splat())
    block = replace(whole.entry, operations=whole.entry.operations[:-1])
    cut = replace(whole, body=replace(whole.body, blocks=(block,)))
    (problem,) = verify(replace(program(), functions=(cut,)))
    assert problem.rule == "whole-blocks"
    assert str(problem) == (
        "@main: a block does not end in a terminator; add a util.return [whole-blocks]"
    )


def test_what_is_not_valid_is_not_asked_for_more() -> None:
    both = program(splat(X), clone(X, Y, B), clone(X, Y, B))
    assert {problem.level for problem in verify(both)} == {Level.VALID}


def test_a_value_of_itself_ends() -> None:
    looped = program(store(STAGED, STAGED))
    assert "defined-before-use" in {problem.rule for problem in verify(looped)}


def test_a_module_of_which_not_all_is_there_is_judged_by_all_other_rules():
    """Its devices may be named on the compiler's command line."""
    elsewhere = program(splat(X, Affinity("dev_c")))
    assert [problem.rule for problem in verify(elsewhere)] == ["known-devices"]
    assert verify_module(elsewhere) == ()
    wrong = program(splat(X, Affinity("dev_c")), transfer(X, Y, A, B))
    rules = [problem.rule for problem in verify_module(wrong)]
    assert rules
    assert "known-devices" not in rules
