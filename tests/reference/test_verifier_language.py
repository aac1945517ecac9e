"""The verifier on regions, blocks, calls and globals, with the compiler's word on each rule."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bodies import (
    DONE,
    END,
    HELPER,
    INSIDE,
    NEXT,
    ONE,
    SHORT,
    STAGED,
    STAGING,
    STATE,
    STATES,
    X,
    Y,
    Z,
    branch,
    call,
    changed,
    chosen,
    clone,
    ends,
    global_load,
    global_store,
    initializer,
    load,
    looped,
    main,
    module,
    splat,
    store,
    straight,
    transfer,
    work,
)
from language import CHOICE, one_block
from samples import LENGTH, A, B, resource
from test_verifier import BROKEN as STRAIGHT

from oracle.compiling.worker import make_answerer
from reference.affinity import Affinity, Link, Topology
from reference.ir import (
    Block,
    Global,
    Initializer,
    Program,
    Region,
    Successor,
    map_operations,
)
from reference.ops import (
    Branch,
    Concurrent,
    Condition,
    ConditionalBranch,
    If,
    OptimizationBarrier,
    Return,
    Select,
    StreamYield,
    While,
)
from reference.text import print_program
from reference.types import I32, INDEX, Literal, Value
from reference.verifier import PROGRAM_RULES, VALID_RULES, level_of, verify
from reference.verifier.problems import Level
from reference.verifier.structure import dominator_order
from reference.verifier.wellformed import PROGRAM_WELL_FORMED_RULES, WELL_FORMED_RULES

BROKEN: list[tuple[str, Program, str]] = [
    ("unique-symbols", straight(globals=(Global("main", INDEX),)), "@main is defined 2 times"),
    ("known-devices", straight(default_affinity=Affinity("dev_c")), "the module names @dev_c"),
    ("known-devices", straight(topology=Topology((Link("dev_a", "dev_c"),))), "the topology names"),
    (
        "known-devices",
        straight(globals=(Global("state", INDEX, affinity=Affinity("dev_c")),)),
        "@state names @dev_c",
    ),
    (
        "known-devices",
        module(main(Block((END,)), default_affinity=Affinity("dev_c"))),
        "@main names @dev_c",
    ),
    ("known-globals", straight(global_load(STATE)), "names @state, which is no global"),
    ("known-globals", straight(global_load(X), globals=STATES), "takes @state as"),
    (
        "known-globals",
        straight(global_load(STATE, immutable=True), globals=STATES),
        "says that @state is immutable",
    ),
    (
        "known-globals",
        straight(global_store(STATE), arguments=(STATE,), globals=(Global("state", STATE.type),)),
        "which is not mutable",
    ),
    (
        "known-globals",
        straight(
            globals=(Global("state", INDEX, initial="4 : index"),),
            initializers=(initializer(replace(global_store(X), source=Literal(3, INDEX))),),
        ),
        "stores to @state once more",
    ),
    ("known-callees", straight(call()), "names @helper, which is no function"),
    ("known-callees", module(*straight(call()).functions, HELPER), "gives (); @helper takes"),
    (
        "known-callees",
        module(*straight(call(X), arguments=(X,)).functions, HELPER),
        "makes (); @helper returns",
    ),
    (
        "known-callees",
        module(
            *straight(call(X, outputs=(Y,)), arguments=(X,)).functions,
            replace(HELPER, ties=(0,)),
        ),
        "ties other results than @helper",
    ),
    ("declared-ties", module(replace(HELPER, ties=(0, None))), "1 results have 2 ties"),
    ("declared-ties", module(replace(HELPER, ties=(1,))), "tied to argument 1 of 1"),
    ("returned-types", straight(initializers=(Initializer(one_block(
        Return(identity="over", values=(Literal(1, INDEX),)))),)), "returns (index)"),
    ("whole-blocks", module(main(Block((branch(0),)))), "goes on to ^bb0"),
    ("whole-blocks", module(main(Block((branch(2),)), Block((END,)))), "goes on to ^bb2"),
    ("whole-blocks", module(main(Block((END,)), Block((branch(1),)))), "^bb1 cannot be reached"),
    ("whole-blocks", module(main(Block(()))), "does not end in a terminator"),
    (
        "whole-blocks",
        straight(
            replace(chosen(ends()), then=Region((Block((ends(),)),) * 2)), arguments=(CHOICE,)
        ),
        "has a region of 2 blocks",
    ),
    (
        "whole-blocks",
        straight(replace(chosen(), then=Region(())), arguments=(CHOICE,)),
        "has a region of 0 blocks",
    ),
    ("right-terminators", straight(ends()), "does not end a region of a body"),
    (
        "right-terminators",
        straight(chosen(END), arguments=(CHOICE,)),
        "does not end a region of if",
    ),
    (
        "right-terminators",
        changed(While, before=one_block(ends(resource("asked"), identity="op19"),
                                        arguments=(resource("asked"),))),
        "does not end a region of op18",
    ),
    ("right-terminators", straight(work(ends()), arguments=(X,)), "does not end a region of work"),
    (
        "loop-indices",
        straight(looped(ends(Y), carried=Y, initial=X, output=Z, index=Value("i", I32)),
                 arguments=(X,)),
        "no index for its first argument",
    ),
    (
        "fitting-regions",
        module(main(Block((branch(1),)), Block((END,), (X,)))),
        "hands () to the arguments of ^bb1",
    ),
    (
        "fitting-regions",
        module(main(Block((branch(1, X),), (X,)), Block((END,), (SHORT,)))),
        "hands %x of 16 bytes to %short of 8",
    ),
    (
        "fitting-regions",
        straight(chosen(ends(X), outputs=(Y,), otherwise=(ends(identity="other"),)),
                 arguments=(CHOICE, X)),
        "hands () to the results of the scf.if",
    ),
    (
        "fitting-regions",
        straight(looped(ends(), carried=Y, initial=X, output=Z), arguments=(X,)),
        "hands () to the carried values of the scf.for",
    ),
    (
        "fitting-regions",
        changed(Condition, values=()),
        "hands () to the arguments of the body",
    ),
    (
        "fitting-regions",
        straight(work(StreamYield(identity="done", values=(INSIDE,))), arguments=(X,)),
        "to the results of stream.async.execute",
    ),
    (
        "fitting-regions",
        straight(work(DONE, capture=STATE), arguments=(STATE,)),
        "to the arguments of its region",
    ),
    (
        "captured-resources",
        straight(work(clone(Z, Y), DONE), arguments=(X, Z)),
        "takes %z, which is not captured",
    ),
    (
        "captured-resources",
        straight(work(chosen(ends()), DONE), arguments=(X, CHOICE)),
        "if (scf.if) cannot stand in work",
    ),
    (
        "captured-resources",
        straight(
            Concurrent(identity="wave", captures=(X,), outputs=(),
                       body=one_block(DONE, arguments=(INSIDE,))),
            arguments=(X,),
        ),
        "stands outside of an execution region",
    ),
    (
        "defined-before-use",
        straight(chosen(splat(X), ends()), clone(X, Y), arguments=(CHOICE,)),
        "%x, which nothing before makes",
    ),
    (
        "defined-before-use",
        module(
            main(
                Block((ConditionalBranch(identity="choice", condition=CHOICE, then=Successor(1),
                                         otherwise=Successor(2)),), (CHOICE,)),
                Block((splat(X), branch(2))),
                Block((clone(X, Y), END)),
            )
        ),
        "%x, which nothing before makes",
    ),
    (
        "unique-names",
        straight(chosen(splat(X), ends()), splat(X, identity="again"), arguments=(CHOICE,)),
        "%x is defined twice",
    ),
    ("own-rules", changed(If, condition=LENGTH), "the condition is index"),
    (
        "unshared-store",
        straight(
            looped(store(STAGED, NEXT), ends(NEXT), carried=STAGED, initial=resource("s", STAGING),
                   output=resource("o", STAGING)),
            arguments=(resource("s", STAGING),),
        ),
        "may be held elsewhere",
    ),
    (
        "unshared-store",
        straight(
            OptimizationBarrier(identity="hide", sources=(STAGED,), outputs=(NEXT,)),
            store(NEXT, resource("third", STAGING)),
            arguments=(STAGED,),
        ),
        "may be held elsewhere",
    ),
    (
        "unshared-store",
        straight(
            splat(X), transfer(X, STAGED), chosen(load(STAGED), ends()), store(STAGED, NEXT),
            arguments=(CHOICE,),
        ),
        "which load_loaded",
    ),
    (
        "values-at-home",
        straight(
            splat(X), splat(Y, B),
            Select(identity="s", condition=CHOICE, then=X, otherwise=Y, result=Z),
            arguments=(CHOICE,),
        ),
        "%y lives on",
    ),
    (
        "values-at-home",
        straight(
            splat(X),
            chosen(ends(X), outputs=(Z,), otherwise=(splat(Y, B), ends(Y, identity="other"))),
            arguments=(CHOICE,),
        ),
        "make_y (stream.async.splat) runs on",
    ),
    (
        "values-at-home",
        straight(splat(X), looped(clone(Y, Z), ends(Z), carried=Y, initial=X, output=resource("o")),
                 clone(resource("o"), resource("p"), B)),
        "%o lives on #hal.device.affinity<@dev_a>",
    ),
    (
        "values-at-home",
        module(main(Block((splat(X), branch(1, X))), Block((clone(Y, Z, B), END), (Y,)))),
        "%y lives on #hal.device.affinity<@dev_a>",
    ),
    (
        "values-at-home",
        module(*straight(splat(Y, B), call(Y, outputs=(Z,)), clone(Z, X)).functions, HELPER),
        "%z lives on #hal.device.affinity<@dev_b>",
    ),
    (
        "values-at-home",
        straight(
            splat(STATE, B), global_store(STATE), globals=(replace(STATES[0], affinity=A),),
        ),
        "%state_value lives on #hal.device.affinity<@dev_a> (@state says so)",
    ),
    (
        "values-at-home",
        straight(
            splat(X), transfer(X, Y, A, B),
            OptimizationBarrier(identity="hide", sources=(X,), outputs=(resource("w"),)),
            looped(transfer(X, resource("u"), A, B), ends(resource("u")), carried=Z, initial=X,
                   output=resource("o")),
        ),
        "is to(#hal.device.affinity<@dev_b>), but %u lives on",
    ),
    (
        "values-at-home",
        straight(
            global_load(STATE), global_store(STATE, "other"),
            globals=(replace(STATES[0], affinity=A),
                     replace(STATES[0], name="other", affinity=B)),
        ),
        "@other has the affinity",
    ),
    (
        "given-lifetimes",
        straight(splat(STATE), globals=STATES),
        "makes %state_value as !stream.resource<variable>",
    ),
    (
        "given-lifetimes",
        straight(initializers=(initializer(splat(STATE)),)),
        "makes %state_value as !stream.resource<variable>",
    ),
]  # fmt: skip

UNCHECKED = {
    "known-devices", "unshared-store", "values-at-home", "given-lifetimes", "loop-indices",
    "hands %x of 16 bytes to %short of 8", "which is not mutable", "once more",
    "cannot stand in work", "takes @state as", "cannot be reached", "%x is defined twice",
    "to the arguments of its region",
}  # fmt: skip
"""Rules, or parts of messages, of what the compiler takes, or what cannot be told it as text."""


@pytest.mark.parametrize(("rule", "broken", "expected"), BROKEN)
def test_a_broken_rule_is_named(rule: str, broken: Program, expected: str) -> None:
    problems = verify(broken)
    named = [problem for problem in problems if problem.rule == rule]
    assert any(expected in str(problem) for problem in named), list(map(str, problems))
    well_formed = rule in ("values-at-home", "given-lifetimes")
    assert level_of(problems) is (Level.VALID if well_formed else None)


@pytest.mark.parametrize(("rule", "broken", "expected"), BROKEN)
def test_the_compiler_refuses_what_it_checks(rule: str, broken: Program, expected: str) -> None:
    if rule in UNCHECKED or any(part in expected for part in UNCHECKED):
        return
    try:
        text = print_program(broken)
    except (ValueError, IndexError):
        return  # There is no text for it.
    reply = make_answerer()({"job": 0, "text": text, "steps": [["parse"]]}, lambda step: None)
    assert reply["failure"] is not None, text


def test_dominators_of_a_diamond_in_a_loop() -> None:
    def to(*blocks: int) -> Block:
        if len(blocks) == 1:
            return Block((branch(blocks[0]),))
        then, otherwise = blocks
        return Block(
            (
                ConditionalBranch(
                    identity="c",
                    condition=ONE,
                    then=Successor(then),
                    otherwise=Successor(otherwise),
                ),
            )
        )

    region = Region((to(1), to(2, 3), to(4), to(4), to(1, 5), Block((END,)), to(6)))
    order = dominator_order(region)
    assert sorted(order) == [(0, 0), (1, 1), (2, 2), (3, 2), (4, 2), (5, 3)]
    assert [block for block, _ in order][:2] == [0, 1]
    assert order.index((5, 3)) == order.index((4, 2)) + 1
    assert dominator_order(Region(())) == []
    crossed = Region((to(1, 2), to(2, 3), to(1, 3), Block((END,))))
    assert sorted(dominator_order(crossed)) == [(0, 0), (1, 1), (2, 1), (3, 1)]


def test_a_long_chain_is_checked_in_time() -> None:
    blocks = [
        Block((clone(resource(f"v{place}"), resource(f"v{place + 1}")), branch(place + 1)))
        for place in range(1500)
    ]
    blocks[0] = Block((splat(resource("v0")), *blocks[0].operations))
    operations = (Return(identity="end", values=()),)
    numbered = Region((*blocks, Block(operations)))
    unique = map_operations(
        numbered,
        lambda op: (
            replace(op, identity=f"{op.identity}_{id(op)}") if isinstance(op, Branch) else op
        ),
    )
    assert verify(module(replace(main(Block((END,))), body=unique))) == ()


def test_each_rule_has_been_broken() -> None:
    rules = (*PROGRAM_RULES, *VALID_RULES, *PROGRAM_WELL_FORMED_RULES, *WELL_FORMED_RULES)
    broken = {rule for rule, _, _ in (*STRAIGHT, *BROKEN)}
    assert {rule.__name__.replace("_", "-") for rule in rules} == broken
