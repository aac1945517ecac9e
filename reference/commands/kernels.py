"""What a kernel does to each of its bindings, as far as its name tells.

`reference/values/kernels.py` says how names tell it.
"""

from __future__ import annotations

import re
from functools import cache

from reference.ops.command import CommandDispatch, Use
from reference.values.kernels import own_interface

_OWN_LETTERS = re.compile(r"ex::[a-z]+_([a-z0-9]*)_[tn]*")
_LETTER = re.compile(r"i8|i16|i32|i64|f32|f64|index|w|r|o")
_USES = {"w": Use.READ | Use.WRITE, "r": Use.READ, "o": Use.WRITE}


def uses_of(dispatch: CommandDispatch) -> tuple[tuple[Use, ...], bool]:
    """How a dispatch uses each binding, and whether the kernel's name says so.

    Where it does not, the op's own word is taken: what it promises to keep to.
    """
    uses = _own_uses(dispatch.kernel)
    if uses is not None and len(uses) == len(dispatch.bindings) and not dispatch.other_kernels:
        return uses, True
    return tuple(binding.use for binding in dispatch.bindings), False


@cache
def _own_uses(kernel: str) -> tuple[Use, ...] | None:
    own = own_interface(kernel)
    match = _OWN_LETTERS.fullmatch(kernel)
    if own is None or match is None:
        return None
    uses = [_USES[letter] for letter in _LETTER.findall(match[1]) if letter in _USES]
    return (*uses, *[Use.WRITE] * (own[0] - len(uses)))
