"""What this installation of crosscurrent is called."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def _installed() -> str:
    try:
        return version("crosscurrent")
    except PackageNotFoundError:
        return "unknown"


VERSION = _installed()
