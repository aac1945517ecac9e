"""What the host keeps in memory of its own: the bytes of `util.buffer.constant`.

Rule: `CompositeAttr` in compiler/src/iree/compiler/Dialect/Util/IR/UtilAttrs.cpp: the elements one
after the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

from reference.values.constants import constant_content
from reference.values.content import EMPTY, Content, made_of
from reference.values.terms import Terms

_COMPOSITE = re.compile(r"#util\.composite<(\d+)xi8, \[(.*)\]>", re.DOTALL)
_SHAPED = re.compile(r"(?:tensor|vector)<((?:\d+x)*)[if](\d+)>")


def host_content(elements: str, terms: Terms) -> Content | None:
    """The bytes of a constant as MLIR prints it; None where its length cannot be told."""
    match = _COMPOSITE.fullmatch(elements.strip())
    if match is None:
        length = _length(elements)
        return None if length is None else constant_content(_as_tensor(elements), length, terms)
    whole, place = made_of(terms.foreign(elements), int(match[1])), 0
    for item in _items(match[2]):
        content = host_content(item, terms)
        if content is None or place + content.length > whole.length:
            return made_of(terms.foreign(elements), int(match[1]))
        whole = whole.with_part(place, content) if content is not EMPTY else whole
        place += content.length
    return whole


def _items(text: str) -> Iterator[str]:
    """The items of a list, which may be lists or have commas in brackets."""
    depth, start, quoted = 0, 0, False
    for place, letter in enumerate(text):
        quoted ^= letter == '"'
        if quoted:
            continue
        depth += (letter in "<[(") - (letter in ">])")
        if letter == "," and not depth:
            yield text[start:place].strip()
            start = place + 1
    rest = text[start:].strip()
    if rest:
        yield rest


def _length(elements: str) -> int | None:
    match = _SHAPED.fullmatch(elements.rpartition(" : ")[2])
    if match is None or int(match[2]) % 8:
        return None
    return prod(int(extent) for extent in match[1].split("x") if extent) * int(match[2]) // 8


def _as_tensor(elements: str) -> str:
    body, _, kind = elements.rpartition(" : ")
    return f"{body} : {kind.replace('vector<', 'tensor<', 1)}"
