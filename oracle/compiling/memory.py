"""Texts of modules that earlier requests led to, from which later ones go on.

Like `oracle/compiling/worker.py`, this runs under the interpreter of the compiler under test.
"""

import marshal
from collections.abc import Sequence
from typing import TypeAlias

from oracle.compiling.answers import LOOKS, Json

# Checks ask in turns about a batch of programs, most after the same passes.
REMEMBERED_TEXTS = 48
# The last version of marshal whose bytes are the same for equal data.
_COMPARABLE = 2

_Key: TypeAlias = "tuple[str, tuple[str, ...]]"


class Memory:
    """Texts of modules at the `reparse` steps of late requests, by the steps that led there."""

    def __init__(self) -> None:
        self._kept: dict[_Key, dict[bytes, str]] = {}

    def keep(self, key: _Key, steps: Sequence[Json], text: str) -> None:
        """Remembers the module's `text` after the last of `steps`."""
        if key not in self._kept and len(self._kept) >= REMEMBERED_TEXTS:
            del self._kept[next(iter(self._kept))]
        self._kept.setdefault(key, {})[_changing(steps)] = text

    def find(self, key: _Key, steps: Sequence[Json]) -> tuple[int, str] | None:
        """The most steps of these that lead to a remembered text: their number, and the text."""
        known = self._kept.get(key)
        if known is None:
            return None
        for count in range(len(steps), 0, -1):
            if steps[count - 1] == ["reparse"]:
                text = known.get(_changing(steps[:count]))
                if text is not None:
                    return count, text
        return None


def _changing(steps: Sequence[Json]) -> bytes:
    """The steps that may leave another module than they find, as a key."""
    left = [step for step in steps if isinstance(step, list) and step[0] not in LOOKS]
    return marshal.dumps(left, _COMPARABLE)
