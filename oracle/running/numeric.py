"""What a program returns when it is run on real bytes, by the model.

The program is interpreted with bytes as terms; these are then worked out. A term that depends on
bytes which nobody wrote has no bytes to compare.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from oracle.running.kernels import compute, letters_of
from reference.ir import UnsupportedOperationError
from reference.types import I1, Type
from reference.values.content import Content, Repeat
from reference.values.inputs import Inputs
from reference.values.numbers import bit_width
from reference.values.terms import Origin, Term, Terms

_CHUNK = 256


@dataclass(frozen=True, slots=True)
class Bytes:
    """Bytes of which only those with a 1 in `defined` mean anything."""

    data: bytes
    defined: bytes

    @property
    def whole(self) -> bool:
        """Whether every byte means something."""
        return 0 not in self.defined


@dataclass(slots=True)
class Evaluator:
    """Works out the bytes of terms for one set of inputs. `seed` is the set's number."""

    seed: int
    _made: dict[Term, Bytes] = field(default_factory=dict)
    _inputs: dict[str, bytes] = field(default_factory=dict)

    def content(self, content: Content) -> Bytes:
        """All bytes of a content. Raises UnsupportedOperationError for what has no bytes here."""
        parts = [self._piece(*piece) for piece in content.pieces]
        if len(parts) == 1:
            return parts[0]
        return Bytes(
            b"".join(part.data for part in parts), b"".join(part.defined for part in parts)
        )

    def input(self, name: str, length: int) -> bytes:
        """The pseudo-random bytes that the caller passes in under a name."""
        known = self._inputs.get(name, b"")
        if len(known) < length:
            # The first bytes are the same whatever the length.
            source = random.Random(f"{name}:{self.seed}")
            known = b"".join(source.randbytes(_CHUNK) for _ in range(-(-length // _CHUNK)))
            self._inputs[name] = known
        return known[:length]

    def _piece(self, source: Term | Repeat | bytes, offset: int, length: int) -> Bytes:
        if isinstance(source, bytes):
            return Bytes(source, b"\1" * length)
        if isinstance(source, Repeat):
            pattern = source.pattern
            return Bytes((pattern * (length // len(pattern) + 1))[:length], b"\1" * length)
        if source.origin is Origin.UNWRITTEN:
            return Bytes(bytes(length), bytes(length))
        if source.origin is Origin.INPUT:
            return Bytes(self.input(source.name, offset + length)[offset:], b"\1" * length)
        if source.origin is not Origin.KERNEL:
            raise UnsupportedOperationError(f"{source.name}, whose bytes the model does not know")
        made = self._kernel(source, offset + length)
        return Bytes(made.data[offset : offset + length], made.defined[offset : offset + length])

    def _kernel(self, term: Term, length: int) -> Bytes:
        known = self._made.get(term)
        if known is not None and len(known.data) >= length:
            return known
        letters = letters_of(term.name)
        if letters is None:
            raise UnsupportedOperationError(f"kernel {term.name}, which cannot be run")
        contents: list[bytes | int] = []
        defined = True
        for item in term.contents:
            if isinstance(item, int):
                contents.append(item)
            else:
                found = self.content(item)
                defined = defined and found.whole
                contents.append(found.data)
        pairs = zip(letters, contents, strict=False)
        if any(letter != "o" and isinstance(content, int) for letter, content in pairs):
            raise UnsupportedOperationError(f"kernel {term.name} with other bindings than it has")
        if defined:
            data = compute(letters, term.number, term.scalars, contents, length)
        else:
            data = bytes(length)
        made = self._made[term] = Bytes(data, (b"\1" if defined else b"\0") * length)
        return made


@dataclass(frozen=True, slots=True)
class NumericInputs(Inputs):
    """Inputs whose bytes are known to an evaluator: what the host reads are real numbers."""

    evaluator: Evaluator = field(default_factory=lambda: Evaluator(0))

    def sample(self, content: Content, kind: Type, terms: Terms) -> int:
        """The bits of a scalar in these bytes."""
        del terms
        bits = int.from_bytes(self.evaluator.content(content).data, "little")
        return bits & 1 if kind == I1 else bits & ((1 << bit_width(kind)) - 1)
