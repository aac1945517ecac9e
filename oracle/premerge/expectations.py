"""Differences that a change is meant to make: a file of signatures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path


class ExpectationsError(Exception):
    """A file that cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Expectations:
    """Patterns of signatures, in the order of the file."""

    patterns: tuple[str, ...] = ()

    def accepts(self, signature: str) -> str | None:
        """The first pattern that a signature is one of, None where there is none."""
        return next((one for one in self.patterns if fnmatchcase(signature, one)), None)

    def unused(self, signatures: Sequence[str]) -> tuple[str, ...]:
        """The patterns that none of these is one of."""
        return tuple(
            pattern
            for pattern in self.patterns
            if not any(fnmatchcase(one, pattern) for one in signatures)
        )


def load(path: Path) -> Expectations:
    """The expectations in a file: a signature a line, `*` for any part of one, `#` begins a remark.

    Raises ExpectationsError.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise ExpectationsError(f"{path} is not UTF-8 text") from None
    except OSError as error:
        raise ExpectationsError(f"{path}: {error.strerror}") from None
    patterns = [line.partition("#")[0].strip() for line in lines]
    for number, pattern in enumerate(patterns, start=1):
        if len(pattern.split()) > 1:
            raise ExpectationsError(f"{path}:{number}: more than one signature in a line")
        if pattern and not pattern.strip("*/?"):
            raise ExpectationsError(f"{path}:{number}: {pattern} would accept everything")
    return Expectations(tuple(pattern for pattern in patterns if pattern))
