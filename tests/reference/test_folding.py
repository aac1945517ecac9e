"""The rewriter itself: order, limits, names, and the working form of a body."""

from __future__ import annotations

from dataclasses import replace

import pytest
from language import LANGUAGE, whole_language
from samples import SAMPLES, SEVEN, A, B, every_op, function, patterns_applied, program, resource
from straight import barrier, clone, dispatch, splat

from gen.profiles import profile_named
from gen.programs import program as generated
from reference.folding import canonicalize
from reference.folding.catalogue import RULES as FOLDS
from reference.folding.constants import MadeConstant
from reference.folding.driver import DEFAULT, MAX_ITERATIONS, rewrite
from reference.folding.layouts import with_inputs
from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.folding.rules import Pattern, Rules
from reference.folding.working import Body, Names
from reference.ir import Block, Function, Operation, Program, Region, UnsupportedOperationError
from reference.ops import Clone, Import, Return, Splat
from reference.releases import release_rules
from reference.scheduling.schedule import RULES_AND_BARRIERS
from reference.types import BUFFER_VIEW, I8, INDEX, Literal, Value

RULES, _ = release_rules("3.13")
X = resource("x")
VIEW = Value("view", BUFFER_VIEW)


def body(*operations: Operation, returned: tuple[Value, ...] = ()) -> Region:
    """A body of one block with `x` as its argument."""
    end = Return(identity="end", values=returned)
    return Region((Block((*operations, end), (X,)),))


def identities(region: Region) -> list[str]:
    """The identities of the first block's ops, in order."""
    return [operation.identity for operation in region.blocks[0].operations]


def bodies(name: str, count: int) -> list[Program]:
    return [generated(11, number, profile_named(name)) for number in range(count)]


def test_the_inputs_of_an_op_are_what_it_is_made_of() -> None:
    programs = (*every_op().operations(), *whole_language().operations())
    for operation in (*programs, *SAMPLES.values(), *LANGUAGE.values()):
        assert with_inputs(operation, operation.inputs) == operation


@pytest.mark.parametrize("name", ["nightly", "timepoints"])
def test_the_inputs_of_generated_ops_are_what_they_are_made_of(name: str) -> None:
    for one in bodies(name, 20):
        for operation in one.operations():
            assert with_inputs(operation, operation.inputs) == operation


def test_a_constant_index_stands_where_an_index_stands() -> None:
    four = Literal(4, INDEX)
    cut = SAMPLES[next(kind for kind in SAMPLES if kind.__name__ == "Slice")]
    inputs = [four if item == 4 else item for item in cut.inputs]
    assert with_inputs(cut, inputs) == cut


def test_an_op_of_another_kind_is_not_made_again() -> None:
    with pytest.raises(UnsupportedOperationError, match=r"arith\.constant"):
        with_inputs(MadeConstant(identity="c", number=1, result=Value("c", INDEX)), ())


@pytest.mark.parametrize("name", ["nightly", "well-formed", "timepoints"])
def test_a_body_that_nothing_was_done_to_is_the_same(name: str) -> None:
    for one in bodies(name, 20):
        for region in one.bodies():
            assert Body(region).to_region(Names()) == region


@pytest.mark.parametrize("name", ["nightly", "well-formed", "timepoints"])
def test_a_second_canonicalize_finds_nothing(name: str) -> None:
    for one in bodies(name, 30):
        once = canonicalize(one, RULES)
        assert canonicalize(once, RULES) == once


def test_barriers_go_only_when_that_is_asked() -> None:
    around = barrier("around", X, on=A)
    kept = dispatch("kept", around, on=A)
    region = body(around, kept, returned=kept.results)
    assert identities(patterns_applied(region, FOLDS, RULES)) == ["around", "kept", "end"]
    found = patterns_applied(region, RULES_AND_BARRIERS, RULES)
    assert identities(found) == ["kept", "end"]
    assert X in found.blocks[0].operations[0].operands


def test_a_function_without_a_body_stays() -> None:
    outer = Function("outer", Region(()), ())
    one = replace(program(), functions=(outer, *program().functions))
    assert canonicalize(one, RULES) == one


def test_copies_have_names_of_their_own_across_bodies() -> None:
    names = Names()
    assert [names.take(name) for name in ("a", "a", "a~2", "a", "b", "a~3")] == [
        "a", "a~2", "a~2~2", "a~3", "b", "a~3~2",
    ]  # fmt: skip
    cloned = [splat("s", A), clone("c", resource("s"), B), clone("d", resource("s"), B)]
    used = dispatch("used", resource("c"), resource("d"), on=B)
    region = body(*cloned, used, returned=used.results)
    found = patterns_applied(region, FOLDS, RULES, names)
    again = patterns_applied(region, FOLDS, RULES, names)
    assert len({*identities(found), *identities(again)}) == 2 * len(identities(found))


def test_a_new_value_has_a_name_that_nothing_has() -> None:
    one = Body(body(splat("fold_0", A), splat("fold_2", A), returned=(X,)))
    assert [one.fresh(X.type).name for _ in range(2)] == ["fold_1", "fold_3"]


def test_ops_stay_in_order_however_many_are_put_before_one() -> None:
    one = Body(body(splat("first", A), splat("last", A)))
    last = one.region.blocks[0].terminator.previous
    assert last is not None
    made = [one.insert(splat(f"s{number}", A), last) for number in range(100)]
    orders = [node.order for node in one.region.blocks[0]]
    assert orders == sorted(set(orders))
    assert [node.current.identity for node in one.region.blocks[0]][1:-2] == [
        node.current.identity for node in made
    ]


def test_the_latest_use_comes_first() -> None:
    users = [clone(name, X, A) for name in ("a", "b", "c")]
    one = Body(body(*users))
    assert [node.current.identity for node in one.users(X)] == ["c", "b", "a"]
    first = one.region.blocks[0].first
    assert first is not None
    one.set_input(first, 0, X)
    assert [node.current.identity for node in one.users(X)] == ["a", "c", "b"]


def test_rewriting_ends_though_a_rule_always_applies() -> None:
    asked: list[str] = []

    def turn(rewriter: Rewriter, node: Node) -> bool:
        """Gives the op another pattern, made as a constant, and never ends."""
        operation = node.current
        assert isinstance(operation, Splat)
        asked.append(operation.identity)
        if len(asked) % 4:
            return False
        number = Literal(len(asked), I8)
        made = rewriter.make_constant(number, operation.identity, node)
        rewriter.body.set_input(node, 0, made)
        return True

    one = Body(body(splat("s", A), returned=(resource("s"),)))
    rules = {Splat: Rules(None, tuple(Pattern(turn) for _ in range(4))), Return: Rules()}
    rules[MadeConstant] = Rules()
    rewrite(one, rules, RULES, DEFAULT)
    assert len(asked) == 4 * MAX_ITERATIONS
    (found, end) = one.to_region(Names()).blocks[0].operations
    assert isinstance(found, Splat)
    assert found.pattern == Literal(len(asked), I8)
    assert end.identity == "end"


def test_ops_without_rules_are_refused_by_name() -> None:
    one = Body(body(clone("c", X, A), returned=(resource("c"),)))
    with pytest.raises(UnsupportedOperationError, match=r"stream\.async\.clone"):
        rewrite(one, {Return: Rules()}, RULES, DEFAULT)


def test_patterns_are_tried_by_benefit_and_then_in_their_order() -> None:
    tried: list[str] = []

    def named(name: str, benefit: int) -> Pattern:
        def never(rewriter: Rewriter, node: Node) -> bool:
            tried.append(name)
            return False

        return Pattern(never, benefit)

    first = Rules(None, (named("c", 1), named("a", 5), named("d", 1)))
    rules = {Clone: first.with_patterns(named("e", 1), named("b", 5)), Return: Rules()}
    one = Body(body(clone("x1", X, A), returned=(resource("x1"),)))
    rewrite(one, rules, RULES, DEFAULT)
    assert "".join(tried) == "abcde"


def test_equal_imports_become_one_where_the_release_does_that() -> None:
    imports = [
        Import(
            identity=name, source=VIEW, encoding="tensor<4xi32>", dimensions=(),
            result=resource(name), affinity=A,
        )
        for name in ("a", "b")
    ]  # fmt: skip
    end = Return(identity="end", values=tuple(one.result for one in imports))
    one = program(*imports, end, arguments=(VIEW,))
    for known, left in ((True, ["a", "end"]), (False, ["a", "b", "end"])):
        rules = replace(RULES, deduplicates_imports_and_exports=known)
        (main,) = canonicalize(one, rules).functions
        assert identities(main.body) == left


def test_the_results_of_a_splat_that_nobody_takes_go() -> None:
    unused = Splat(identity="s", pattern=SEVEN, result=resource("s"), affinity=A)
    (main,) = canonicalize(program(unused), RULES).functions
    assert identities(main.body) == ["main_end"]
    assert canonicalize(Program((), (function(),)), RULES) == Program((), (function(),))
