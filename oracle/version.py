"""What this installation of crosscurrent is called."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGES = ("gen", "oracle", "reference")


def _installed() -> str:
    try:
        return version("crosscurrent")
    except PackageNotFoundError:
        return "unknown"


VERSION = _installed()


@cache
def code_fingerprint() -> str:
    """What tells this crosscurrent from another of the same version: a digest of its code."""
    root = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for package in _PACKAGES:
        for file in sorted((root / package).rglob("*.py")):
            digest.update(f"{file.relative_to(root)}\0".encode() + file.read_bytes())
    return digest.hexdigest()
