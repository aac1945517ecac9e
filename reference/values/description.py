"""Contents in words, for people."""

from __future__ import annotations

from collections.abc import Iterator

from reference.values.content import Content, Piece, Repeat
from reference.values.terms import Origin, Term

_SHOWN_BYTES = 16
_DEEPEST = 3


def describe(value: Content | int) -> str:
    """A number, or a content piece by piece: one a line where there are several."""
    if isinstance(value, int):
        return f"{value} (0x{value:x})"
    return "\n".join(_lines(value)) or "no bytes"


def describe_at(content: Content, place: int) -> str:
    """The piece that has the byte `place`, in one line."""
    end = 0
    for line, piece in zip(_lines(content), content.pieces, strict=True):
        end += piece[2]
        if place < end:
            return line
    return f"no byte {place}"


def _lines(content: Content) -> Iterator[str]:
    start = 0
    for piece in content.pieces:
        yield f"bytes {start} to {start + piece[2]}: {_piece(piece, 0)}"
        start += piece[2]


def _piece(piece: Piece, depth: int) -> str:
    source, offset, length = piece
    if isinstance(source, bytes):
        shown = source[:_SHOWN_BYTES].hex(" ")
        return f"{shown} …" if length > _SHOWN_BYTES else shown
    if isinstance(source, Repeat):
        return f"{source.pattern.hex(' ')} over and over"
    if source.origin is Origin.UNWRITTEN:
        return "nobody's"
    whole = f"from byte {offset} of " if offset else ""
    return whole + _term(source, depth)


def _term(term: Term, depth: int) -> str:
    if term.origin is not Origin.KERNEL:
        return term.name
    if depth == _DEEPEST:
        return f"@{term.name}(…)"
    given = [
        f"{item} bytes to write" if isinstance(item, int) else _inline(item, depth + 1)
        for item in term.contents
    ]
    given += map(str, term.scalars)
    return f"binding {term.number} of @{term.name}({', '.join(given)})"


def _inline(content: Content, depth: int) -> str:
    pieces = [f"{_piece(piece, depth)} for {piece[2]}" for piece in content.pieces]
    return f"[{'; '.join(pieces)}]"
