"""The bytes of a resource: pieces of terms and of known bytes, in one normal form.

Neighbours that continue each other are one piece, so two contents are equal exactly when their
bytes are, as far as terms tell. Long runs of a repeated pattern are kept as such.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reference.values.terms import UNWRITTEN, Term, Terms

ENDLESS = 1 << 60
"""The length of what the caller passes in, as long as no op says how much of it there is."""

LONGEST_LITERAL = 1 << 12
"""Repeated bytes are written out up to this length."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A pattern over and over; it is no repetition itself, and long contents only have it."""

    pattern: bytes


Source = Term | Repeat | bytes
Piece = tuple[Source, int, int]
"""`(source, offset, length)`: bytes `[offset, offset + length)` of a source. Of known bytes these
are always all."""


class OutOfBoundsError(Exception):
    """An access to bytes that a value does not have; the message says which."""


class WrongSizeError(OutOfBoundsError):
    """A value that has another size than an op says: another one is in its place."""


@dataclass(frozen=True, slots=True)
class Content:
    """`length` bytes as pieces in order, none of them empty."""

    pieces: tuple[Piece, ...]
    length: int

    @property
    def vague(self) -> bool:
        """Whether some bytes are unwritten, or depend on bytes that are."""
        return any(isinstance(piece[0], Term) and piece[0].vague for piece in self.pieces)

    def part(self, start: int, length: int) -> Content:
        """The bytes `[start, start + length)`. Raises OutOfBoundsError."""
        if start == 0 and length == self.length:
            return self
        self._check(start, length)
        if len(self.pieces) == 1:
            return Content((_cut(self.pieces[0], start, length),), length) if length else EMPTY
        return _joined(self._between(start, start + length), length)

    def with_part(self, start: int, other: Content) -> Content:
        """The same but for `other` from `start` on. Raises OutOfBoundsError."""
        length, end = other.length, start + other.length
        if start == 0 and length == self.length:
            return other
        self._check(start, length)
        if not length:
            return self
        before, after = self._between(0, start), self._between(end, self.length)
        return _joined((*before, *other.pieces, *after), self.length)

    def digest(self, terms: Terms) -> bytes:
        """Eight bytes that depend on nothing but what is told here."""
        mark = hashlib.blake2b(digest_size=8)
        for source, offset, length in self.pieces:
            told = terms.digest(source) if isinstance(source, Term) else repr(source).encode()
            mark.update(told + f":{offset}:{length};".encode())
        return mark.digest()

    def known(self) -> bytes | None:
        """The bytes themselves where none is symbolic. Not for long contents."""
        if len(self.pieces) == 1 and isinstance(self.pieces[0][0], bytes):
            return self.pieces[0][0]
        if any(isinstance(source, Term) for source, _, _ in self.pieces):
            return None
        return b"".join(_written_out(piece) for piece in self.pieces)

    def _check(self, start: int, length: int) -> None:
        if start < 0 or length < 0 or start + length > self.length:
            raise OutOfBoundsError(f"bytes [{start}, {start + length}) of {self.length}")

    def _between(self, start: int, end: int) -> Iterator[Piece]:
        place = 0
        for piece in self.pieces:
            first, last = max(start - place, 0), min(end - place, piece[2])
            if first < last:
                yield _cut(piece, first, last - first)
            place += piece[2]


EMPTY = Content((), 0)


def literal(data: bytes) -> Content:
    """Known bytes."""
    return Content(((data, 0, len(data)),), len(data)) if data else EMPTY


def made_of(term: Term, length: int, offset: int = 0) -> Content:
    """The bytes `[offset, offset + length)` of a term; of unwritten bytes all are alike."""
    return Content(((term, 0 if term is UNWRITTEN else offset, length),), length)


def repeated(pattern: bytes, length: int) -> Content:
    """A pattern from its first byte on, over and over."""
    if length <= LONGEST_LITERAL:
        return literal((pattern * (length // len(pattern) + 1))[:length])
    return Content((_run(pattern, 0, length),), length)


def agrees(expected: Content, actual: Content) -> bool:
    """Whether `actual` is what `expected` allows: the same bytes, but for unwritten ones, and what
    kernels make of them, in whose place any may be."""
    return _allows(expected, actual, set())


def first_difference(expected: Content, actual: Content) -> int | None:
    """The first byte that is not what `expected` allows; None where all are."""
    place = 0
    for one, other in _aligned(expected, actual):
        if one != other and not _piece_allows(one, other, set()):
            return place + _common(one, other)
        place += one[2]
    return None if expected.length == actual.length else place


def _allows(expected: Content, actual: Content, known: set[tuple[Term, Term]]) -> bool:
    """As `agrees`; `known` are pairs of terms of which it has been found out already."""
    if expected == actual:
        return True
    if not expected.vague or expected.length != actual.length:
        return False
    return all(
        one == other or _piece_allows(one, other, known)
        for one, other in _aligned(expected, actual)
    )


def _piece_allows(expected: Piece, actual: Piece, known: set[tuple[Term, Term]]) -> bool:
    one, other = expected[0], actual[0]
    if one is UNWRITTEN:
        return True
    if not isinstance(one, Term) or not isinstance(other, Term) or expected[1] != actual[1]:
        return False
    if one is other or (one, other) in known:
        return True
    if not one.vague or one.outline != other.outline:
        return False
    for mine, theirs in zip(one.contents, other.contents, strict=True):
        if isinstance(mine, Content) and isinstance(theirs, Content):
            if not _allows(mine, theirs, known):
                return False
        elif mine != theirs:
            return False
    known.add((one, other))
    return True


def _aligned(one: Content, other: Content) -> Iterator[tuple[Piece, Piece]]:
    """Both contents cut at the same places, as far as both go."""
    mine, theirs = iter(one.pieces), iter(other.pieces)
    left, right = next(mine, None), next(theirs, None)
    while left is not None and right is not None:
        length = min(left[2], right[2])
        yield _cut(left, 0, length), _cut(right, 0, length)
        left = _cut(left, length, left[2] - length) if left[2] > length else next(mine, None)
        right = _cut(right, length, right[2] - length) if right[2] > length else next(theirs, None)


def _common(one: Piece, other: Piece) -> int:
    """How many bytes two pieces that differ have in common at their start."""
    if isinstance(one[0], Term) or isinstance(other[0], Term) or one[2] > LONGEST_LITERAL:
        return 0
    left, right = _written_out(one), _written_out(other)
    return next(place for place in range(len(left)) if left[place] != right[place])


def _cut(piece: Piece, start: int, length: int) -> Piece:
    source, offset, whole = piece
    if start == 0 and length == whole:
        return piece
    if isinstance(source, bytes):
        return (source[start : start + length], 0, length)
    if isinstance(source, Repeat):
        return _run(source.pattern, offset + start, length)
    return (source, 0 if source is UNWRITTEN else offset + start, length)


def _run(pattern: bytes, offset: int, length: int) -> Piece:
    """Part of a repetition in normal form: turned to start at its first byte, as short a pattern
    as there is, and written out where it is not long."""
    phase = offset % len(pattern)
    turned = pattern[phase:] + pattern[:phase]
    if length <= LONGEST_LITERAL:
        return ((turned * (length // len(turned) + 1))[:length], 0, length)
    period = (turned + turned).index(turned, 1)
    return (Repeat(turned[:period]), 0, length)


def _written_out(piece: Piece) -> bytes:
    source, _, length = piece
    if isinstance(source, bytes):
        return source
    assert isinstance(source, Repeat)
    pattern = source.pattern
    return (pattern * (length // len(pattern) + 1))[:length]


def _joined(pieces: Iterable[Piece], length: int) -> Content:
    """The content of pieces that may continue each other."""
    found: list[Piece] = []
    for piece in pieces:
        if found:
            last = found[-1]
            source = last[0]
            if isinstance(source, Term):
                continues = source is UNWRITTEN or last[1] + last[2] == piece[1]
                if source is piece[0] and continues:
                    found[-1] = (source, last[1], last[2] + piece[2])
                    continue
            elif not isinstance(piece[0], Term):
                found[-1:] = _known_joined(last, piece)
                continue
        found.append(piece)
    return Content(tuple(found), length)


def _known_joined(left: Piece, right: Piece) -> Iterator[Piece]:
    """Known bytes and more of them: what continues a long repetition on either side is part of it,
    on its right before on its left."""
    if isinstance(left[0], bytes) and isinstance(right[0], bytes):
        data = left[0] + right[0]
        yield (data, 0, len(data))
        return
    if isinstance(left[0], Repeat):
        taken = _continued(left, right)
        yield (left[0], 0, left[2] + taken)
        if taken < right[2]:
            yield _cut(right, taken, right[2] - taken)
        return
    assert isinstance(left[0], bytes)
    assert isinstance(right[0], Repeat)
    pattern, kept = right[0].pattern, left[2]
    while kept and left[0][kept - 1] == pattern[(kept - 1 - left[2]) % len(pattern)]:
        kept -= 1
    if kept:
        yield (left[0][:kept], 0, kept)
    absorbed = left[2] - kept
    turn = -absorbed % len(pattern)
    yield (Repeat(pattern[turn:] + pattern[:turn]), 0, right[2] + absorbed)


def _continued(run: Piece, following: Piece) -> int:
    """How many bytes of the following piece continue a repetition."""
    source, _, length = run
    assert isinstance(source, Repeat)
    pattern, data = source.pattern, following[0]
    if isinstance(data, Repeat):
        # Two repetitions that agree for as long as both patterns are agree for ever.
        data = _written_out((data, 0, min(len(pattern) + len(data.pattern), following[2])))
    assert isinstance(data, bytes)
    for place, byte in enumerate(data):
        if byte != pattern[(length + place) % len(pattern)]:
            return place
    return following[2]
