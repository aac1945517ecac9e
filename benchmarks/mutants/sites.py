"""Where the model can be changed: every rule of it, and the changed source."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import parso
from cosmic_ray.operators.operator import Operator
from parso.python.tree import Function
from parso.tree import BaseNode, NodeOrLeaf

from benchmarks.mutants.operators import operators

_NOT_RULES = frozenset(
    {
        "assembly", "assembly_pieces", "custom_assembly", "block_reference", "_argument", "_symbol",
        "_printed", "__str__", "__repr__", "from_generic", "parse_affinity", "parse_topology",
        "_parsed", "_affinity", "dynamic_dimensions", "problems", "_overlap", "inputs",
        "labels_region",
    }
)  # fmt: skip
"""Functions of an op, or of the algebra, that print, read or verify instead of deciding. So do
those whose name ends in `_problem`."""

_STATEMENTS = frozenset(
    {"simple_stmt", "if_stmt", "for_stmt", "while_stmt", "with_stmt", "try_stmt", "funcdef",
     "classdef"}
)  # fmt: skip

_OUTSIDE = frozenset({"annassign", "import_from", "import_name", "assert_stmt", "decorator"})
"""Nodes in which a change changes nothing: annotations, imports, assertions."""


@dataclass(frozen=True, slots=True)
class Site:
    """One place of a module where one operator would make one change."""

    module: str
    function: str
    operator: Operator
    ordinal: int
    line: int
    span: tuple[int, int] | None
    """First and last line of the statement, or of the condition of an `if` or a loop; None for
    what is run when the module is imported."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one place changed. `before` and `after` are the first line that differs."""

    module: str
    function: str
    operator: str
    line: int
    before: str
    after: str
    source: str
    span: tuple[int, int] | None

    def __str__(self) -> str:
        return (
            f"{self.module}:{self.line} ({self.function}, {self.operator}): "
            f"{self.before.strip()} -> {self.after.strip()}"
        )


def sites(root: Path, modules: Sequence[str]) -> list[Site]:
    """Every place of the modules that an operator would change."""
    found = []
    for module in modules:
        tree = parso.parse(_source(root, module))
        for operator in operators():
            for ordinal, (node, _) in enumerate(_places(tree, operator)):
                line = node.start_pos[0]
                span = _span(node)
                found.append(Site(module, _function(node), operator, ordinal, line, span))
    return found


def spread(every: Sequence[Site], seed: int) -> list[Site]:
    """The places in an order in which each function has its turn before one has a second."""
    source = random.Random(seed)
    by_function: dict[tuple[str, str], list[Site]] = defaultdict(list)
    for site in every:
        by_function[site.module, site.function].append(site)
    queues = list(by_function.values())
    for queue in queues:
        source.shuffle(queue)
    source.shuffle(queues)
    ordered: list[Site] = []
    while queues:
        ordered += [queue.pop() for queue in queues]
        queues = [queue for queue in queues if queue]
    return ordered


def mutate(root: Path, site: Site) -> Mutant | None:
    """The module with that place changed; None where the change is none, or no Python."""
    source = _source(root, site.module)
    tree = parso.parse(source)
    places = _places(tree, site.operator)
    node, index = next(place for number, place in enumerate(places) if number == site.ordinal)
    replaced = site.operator.mutate(node, index)
    if replaced is not node:
        siblings = node.parent.children
        siblings[siblings.index(node)] = replaced
    changed = tree.get_code()
    if changed == source or not _compiles(changed):
        return None
    before, after = _first_difference(source.splitlines(), changed.splitlines())
    name = type(site.operator).__name__
    return Mutant(site.module, site.function, name, site.line, before, after, changed, site.span)


def _source(root: Path, module: str) -> str:
    return (root / Path(*module.split("."))).with_suffix(".py").read_text(encoding="utf-8")


def _places(tree: NodeOrLeaf, operator: Operator) -> Iterator[tuple[NodeOrLeaf, int]]:
    """The nodes that the operator would change, with the number of the change."""
    pending: list[NodeOrLeaf] = [tree]
    while pending:
        node = pending.pop()
        if node.type in _OUTSIDE or _is_annotation(node) or _is_assertion(node):
            continue
        if node.type == "funcdef" and _is_no_rule(node.name.value):
            continue
        if isinstance(node, BaseNode):
            pending += reversed(node.children)
        for index, _ in enumerate(operator.mutation_positions(node)):
            yield node, index


def _is_no_rule(function: str) -> bool:
    return function in _NOT_RULES or function.endswith("_problem")


def _is_assertion(node: NodeOrLeaf) -> bool:
    """Whether it is the `strict=True` of a `zip`, which decides nothing."""
    return (
        node.type == "argument"
        and node.children[0].type == "name"
        and (node.children[0].value == "strict")
    )


def _is_annotation(node: NodeOrLeaf) -> bool:
    parent = node.parent
    if parent is None:
        return False
    if isinstance(parent, Function):
        return node is parent.annotation
    return parent.type == "tfpdef" and node is parent.children[-1]


def _function(node: NodeOrLeaf) -> str:
    names: list[str] = []
    while node is not None:
        if node.type in ("funcdef", "classdef"):
            names.append(node.name.value)
        node = node.parent
    return ".".join(reversed(names)) or "module"


def _span(node: NodeOrLeaf) -> tuple[int, int] | None:
    """The lines that are run whenever the node is."""
    # An operator may see the whole of an `if` or a loop: what is always run is its condition.
    whole = node.type in _STATEMENTS
    inner, outer = node, node if whole else node.parent
    while outer is not None and outer.type not in _STATEMENTS:
        inner, outer = outer, outer.parent
    if outer is None or outer.type in ("funcdef", "classdef"):
        return None
    around = outer
    while around is not None and around.type != "funcdef":
        around = around.parent
    if around is None:
        return None
    part = outer if outer.type == "simple_stmt" else (node.children[1] if whole else inner)
    # The last leaf of a statement is its line break, which ends on the next line.
    return part.start_pos[0], part.get_last_leaf().start_pos[0]


def _compiles(source: str) -> bool:
    try:
        compile(source, "mutant", "exec")
    except SyntaxError:
        return False
    return True


def _first_difference(before: Sequence[str], after: Sequence[str]) -> tuple[str, str]:
    return next(
        ((one, other) for one, other in zip(before, after, strict=False) if one != other), ("", "")
    )
