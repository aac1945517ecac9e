"""What stands at the top of a module, found in text that no parser takes: a part of a file.

A hunk of a diff begins and ends anywhere. So lines are looked at, not structure: which ops are
whole in them, and what remains of those that are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_WRAPPER = re.compile(r"\s*(?:builtin\.)?module\b")
_HEAD = re.compile(
    r"\s*(?:util\.func|func\.func|util\.global|util\.initializer|flow\.executable|"
    r"stream\.executable|hal\.executable|hal\.executable\.source|[#!][\w.$]+\s*=)(?![\w.])"
)
_FUNCTION = re.compile(r"\s*(?:util|func)\.func\b[^@]*@([\w$.-]+|\"[^\"]*\")")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_GOES_ON = re.compile(r"\s*(?:->|attributes\b)")


@dataclass(frozen=True, slots=True)
class Line:
    """One line as it is after a change; `touched` is whether the change made it, or took away what
    stood before it."""

    number: int
    text: str
    touched: bool


@dataclass(frozen=True, slots=True)
class Item:
    """Lines that belong to one op. `function` is its name if it is one; `whole` is whether all of
    it is there."""

    lines: tuple[Line, ...]
    function: str | None
    whole: bool

    @property
    def touched(self) -> bool:
        """Whether the change is of this op."""
        return any(line.touched for line in self.lines)


def function_named(text: str) -> str | None:
    """The function that a line is the head of."""
    found = _FUNCTION.match(text)
    return None if found is None else found[1].strip('"')


def items(lines: Sequence[Line], around: str | None = None) -> Iterator[Item]:
    """The ops in some lines of a module, in order; the lines of a module around them, blank ones
    and comments between them are left out. `around` is the head of what the first lines may be
    the rest of, where that is known."""
    pending: list[Line] = []
    rest: list[Line] = []
    depth, opened = 0, False
    wrapper: Line | None = None
    for place, line in enumerate(lines):
        bare = _bare(line.text)
        if not pending:
            if not bare.strip():
                continue
            if _WRAPPER.match(bare):
                wrapper = line
                continue
            if not _HEAD.match(bare):
                if wrapper is not None and bare.strip() == "}":
                    wrapper = None
                else:
                    rest.append(line)
                continue
        pending.append(line)
        depth += sum(map(bare.count, "([{")) - sum(map(bare.count, ")]}"))
        opened = opened or "{" in bare
        if depth <= 0 and not (not opened and _continued(lines[place + 1 :])):
            yield Item(tuple(pending), function_named(pending[0].text), whole=True)
            pending, depth, opened = [], 0, False
    if wrapper is not None:
        yield Item((wrapper,), None, whole=False)
    if rest:
        yield Item(tuple(rest), function_named(around or ""), whole=False)
    if pending:
        yield Item(tuple(pending), function_named(pending[0].text), whole=False)


def _bare(text: str) -> str:
    """A line without strings and comments."""
    return _STRING.sub('""', text).partition("//")[0]


def _continued(lines: Sequence[Line]) -> bool:
    """Whether the head of a function goes on in the next line with anything in it."""
    following = next((bare for line in lines if (bare := _bare(line.text)).strip()), "")
    return _GOES_ON.match(following) is not None
