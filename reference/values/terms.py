"""Where bytes come from, as terms that are equal when they are the same object.

A term stands for bytes without an end, counted from its own byte 0; a piece of content
(`reference/values/content.py`) is a part of one. Terms are made by a `Terms`, which gives the same
object for the same origin, so that comparing them costs nothing however deep they are. They name
nothing that a pass may rename: arguments go by position, kernels by symbol.
"""

from __future__ import annotations

import enum
import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reference.values.content import Content


class Origin(enum.Enum):
    """What made the bytes of a term."""

    UNWRITTEN = "unwritten"
    INPUT = "input"
    KERNEL = "kernel"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """Bytes of one origin.

    `name` is the input's, the kernel's or that of whatever else made them, `number` the position of
    the kernel's binding that holds them. `scalars` and `contents` are what they depend on. `vague`
    says that bytes which nobody wrote are among that: the term stands for any bytes that the kernel
    might make of them.
    """

    origin: Origin
    name: str
    number: int = 0
    scalars: tuple[int, ...] = ()
    contents: tuple[Content | int, ...] = ()
    """A kernel's bindings in order: what it reads, or the length of what it only writes."""
    vague: bool = False

    @property
    def outline(self) -> tuple[object, ...]:
        """All but the bytes that the term depends on."""
        return (self.origin, self.name, self.number, self.scalars, len(self.contents))


UNWRITTEN = Term(Origin.UNWRITTEN, "unwritten", vague=True)
"""Bytes that nobody has written yet."""


@dataclass(slots=True)
class Terms:
    """Makes the terms of one comparison, one object an origin."""

    _made: dict[object, Term] = field(default_factory=dict)
    _digests: dict[Term, bytes] = field(default_factory=dict)

    def input(self, name: str) -> Term:
        """The bytes that the caller passes in under that name."""
        return self._intern(Term(Origin.INPUT, name))

    def foreign(self, name: str) -> Term:
        """Bytes that the model cannot tell, the same wherever they have that name."""
        return self._intern(Term(Origin.FOREIGN, name))

    def kernel(
        self,
        name: str,
        binding: int,
        scalars: tuple[int, ...],
        contents: tuple[Content | int, ...],
    ) -> Term:
        """What a kernel leaves in its binding at position `binding`."""
        key = (name, binding, scalars, contents)
        term = self._made.get(key)
        if term is None:
            vague = any(not isinstance(item, int) and item.vague for item in contents)
            term = Term(Origin.KERNEL, name, binding, scalars, contents, vague)
            self._made[key] = term
        return term

    def digest(self, term: Term) -> bytes:
        """Eight bytes that depend on nothing but the term's structure."""
        found = self._digests.get(term)
        if found is None:
            told = [term.origin.value, term.name, term.number, term.scalars]
            mark = hashlib.blake2b(repr(told).encode(), digest_size=8)
            for item in term.contents:
                mark.update(repr(item).encode() if isinstance(item, int) else item.digest(self))
            found = self._digests[term] = mark.digest()
        return found

    def _intern(self, term: Term) -> Term:
        return self._made.setdefault((term.origin, term.name), term)
