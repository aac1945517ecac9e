"""The bytes of a constant, from the typed attribute that MLIR prints."""

from __future__ import annotations

import math
import re
import struct

from reference.types import F32, F64
from reference.values.content import Content, literal, made_of, repeated
from reference.values.numbers import float_bits
from reference.values.terms import Terms

_TENSOR = re.compile(r"tensor<((?:\d+x)*)(i|f)(\d+)>")
_FLOAT_TYPES = {32: F32, 64: F64}


def constant_content(elements: str, length: int, terms: Terms) -> Content:
    """The `length` bytes that `elements` (`dense<…> : tensor<…>`) holds.

    Elements that cannot be told from the text are a term of their own, the same for the same text.
    """
    body, _, kind = elements.rpartition(" : ")
    match = _TENSOR.fullmatch(kind)
    if match is not None and body.startswith("dense<") and int(match[3]) % 8 == 0:
        count = math.prod(int(extent) for extent in match[1].split("x") if extent)
        width = int(match[3]) // 8
        data = _data(body[len("dense<") : -1], match[2] == "f", width)
        if data is not None and count * width == length and len(data) in (width, length):
            return repeated(data, length) if data else literal(data)
    return made_of(terms.foreign(elements), length)


def _data(text: str, floats: bool, width: int) -> bytes | None:
    """What stands between `dense<` and `>`: one element, elements in brackets, or raw bytes."""
    if text.startswith('"0x'):
        return bytes.fromhex(text[3:-1])
    items = [item.strip() for item in re.sub(r"[\[\]]", " ", text).split(",")]
    packed = [_element(item, floats, width) for item in items if item]
    if any(one is None for one in packed):
        return None
    return b"".join(one for one in packed if one is not None)


def _element(text: str, floats: bool, width: int) -> bytes | None:
    try:
        if text.startswith("0x"):
            # A float that has no decimal form is printed as its bits.
            return int(text, 16).to_bytes(width, "little")
        if not floats:
            return (int(text) & ((1 << 8 * width) - 1)).to_bytes(width, "little")
        if width == 2:
            return struct.pack("<e", float(text))
        kind = _FLOAT_TYPES.get(8 * width)
        return None if kind is None else float_bits(float(text), kind).to_bytes(width, "little")
    except (ValueError, OverflowError):
        return None
