"""What a mutant changes: the usual operators of Cosmic Ray, and some for rules of a compiler.

An operator sees one node of a parso tree at a time, says where it would change it, and changes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cosmic_ray.operators import boolean_replacer, break_continue, comparison_operator_replacement
from cosmic_ray.operators.number_replacer import NumberReplacer
from cosmic_ray.operators.operator import Example, Operator
from cosmic_ray.operators.zero_iteration_for_loop import ZeroIterationForLoop
from parso.python.tree import IfStmt, Name
from parso.python.tree import Operator as Sign
from parso.tree import BaseNode, NodeOrLeaf

Position = tuple[tuple[int, int], tuple[int, int]]

_LEAVES = frozenset({"return_stmt", "raise_stmt", "continue_stmt", "break_stmt", "yield_expr"})

_PAIRS = {
    "source_affinity": "target_affinity",
    "source": "result",
    "captures": "outputs",
    "operands": "results",
    "any": "all",
    "min": "max",
    "add": "discard",
    "predecessor": "successor",
}
_COUNTERPARTS = _PAIRS | {other: one for one, other in _PAIRS.items()}

_COMPARISONS = frozenset(
    {
        "ReplaceComparisonOperator_Eq_NotEq",
        "ReplaceComparisonOperator_NotEq_Eq",
        "ReplaceComparisonOperator_Lt_LtE",
        "ReplaceComparisonOperator_LtE_Lt",
        "ReplaceComparisonOperator_Gt_GtE",
        "ReplaceComparisonOperator_GtE_Gt",
        "ReplaceComparisonOperator_Is_IsNot",
        "ReplaceComparisonOperator_IsNot_Is",
    }
)
"""Of all pairs of comparisons those that a person would confuse."""


class DropGuard(Operator):  # type: ignore[misc]
    """An `if` whose body leaves the function or the loop never holds."""

    def mutation_positions(self, node: NodeOrLeaf) -> Iterator[Position]:
        if isinstance(node, IfStmt) and _leaves(node.children[3]):
            yield node.children[1].start_pos, node.children[1].end_pos

    def mutate(self, node: NodeOrLeaf, index: int) -> NodeOrLeaf:
        condition = node.children[1]
        node.children[1] = Name("False", condition.start_pos, prefix=" ")
        return node

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        before = "while b:\n    if a:\n        continue\n"
        return (Example(before, before.replace("if a", "if False")),)


class LoseOperand(Operator):  # type: ignore[misc]
    """The last operand of `and`, `or`, `|` or `&` is lost: a guard, a hazard, a member of a set."""

    _TYPES = frozenset({"and_test", "or_test", "expr", "and_expr"})

    def mutation_positions(self, node: NodeOrLeaf) -> Iterator[Position]:
        if node.type in self._TYPES:
            yield node.children[-1].start_pos, node.children[-1].end_pos

    def mutate(self, node: NodeOrLeaf, index: int) -> NodeOrLeaf:
        node.children = node.children[:-2]
        return node

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        return (Example("a and b", "a"), Example("a | b | c", "a | b"))


class LoseUpdate(Operator):  # type: ignore[misc]
    """`a |= b` and `a &= b` become `a = a`: what was found out is forgotten."""

    def mutation_positions(self, node: NodeOrLeaf) -> Iterator[Position]:
        if isinstance(node, Sign) and node.value in ("|=", "&="):
            yield node.start_pos, node.end_pos

    def mutate(self, node: NodeOrLeaf, index: int) -> NodeOrLeaf:
        statement = node.parent
        kept = statement.children[0].get_code(include_prefix=False)
        node.value = f"= {kept} if True else"
        return node

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        return (Example("a |= b", "a = a if True else b"),)


class Counterpart(Operator):  # type: ignore[misc]
    """A name becomes its counterpart: source and target, captures and outputs, any and all."""

    def mutation_positions(self, node: NodeOrLeaf) -> Iterator[Position]:
        if isinstance(node, Name) and node.value in _COUNTERPARTS and not node.is_definition():
            yield node.start_pos, node.end_pos

    def mutate(self, node: NodeOrLeaf, index: int) -> NodeOrLeaf:
        node.value = _COUNTERPARTS[node.value]
        return node

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        return (Example("a = t.source_affinity", "a = t.target_affinity"),)


class KeepOrder(Operator):  # type: ignore[misc]
    """`reversed(x)` and `sorted(x)` become `tuple(x)`: the wrong order."""

    def mutation_positions(self, node: NodeOrLeaf) -> Iterator[Position]:
        if isinstance(node, Name) and node.value in ("reversed", "sorted"):
            yield node.start_pos, node.end_pos

    def mutate(self, node: NodeOrLeaf, index: int) -> NodeOrLeaf:
        node.value = "tuple" if node.value == "reversed" else "(lambda items, key=None: [*items])"
        return node

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        return (Example("reversed(a)", "tuple(a)"),)


class TakeFirst(Operator):  # type: ignore[misc]
    """`(x,) = y` becomes `x, *_ = y`: the first where there must be one."""

    def mutation_positions(self, node: NodeOrLeaf) -> Iterator[Position]:
        if _unpacks_one(node):
            yield node.start_pos, node.end_pos

    def mutate(self, node: NodeOrLeaf, index: int) -> NodeOrLeaf:
        comma = node.children[1].children[-1]
        comma.value = ", *_"
        return node

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        return (Example("(a,) = b", "(a, *_) = b"),)


def operators() -> Sequence[Operator]:
    """Every operator, those of Cosmic Ray first."""
    return (
        boolean_replacer.AddNot(),
        boolean_replacer.ReplaceTrueWithFalse(),
        boolean_replacer.ReplaceFalseWithTrue(),
        boolean_replacer.ReplaceAndWithOr(),
        boolean_replacer.ReplaceOrWithAnd(),
        break_continue.ReplaceBreakWithContinue(),
        break_continue.ReplaceContinueWithBreak(),
        NumberReplacer(),
        ZeroIterationForLoop(),
        *(
            operator()
            for operator in comparison_operator_replacement.operators()
            if operator.__name__ in _COMPARISONS
        ),
        DropGuard(),
        LoseOperand(),
        LoseUpdate(),
        Counterpart(),
        KeepOrder(),
        TakeFirst(),
    )


def _leaves(suite: NodeOrLeaf) -> bool:
    """Whether the only statement of a block leaves the function or the loop."""
    statements = [node for node in getattr(suite, "children", [suite]) if node.type != "newline"]
    if len(statements) != 1:
        return False
    (statement,) = statements
    first = statement.children[0] if isinstance(statement, BaseNode) else statement
    return first.type in _LEAVES or getattr(first, "value", "") in ("continue", "break", "return")


def _unpacks_one(node: NodeOrLeaf) -> bool:
    if node.type != "atom" or node.parent is None or node.parent.type != "expr_stmt":
        return False
    inner = node.children[1]
    return (
        node.parent.children[0] is node
        and inner.type in ("testlist_comp", "exprlist")
        and len(inner.children) == 2
    )
