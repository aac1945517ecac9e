"""`oracle/running/compile_worker.py` that raises on programs with a function of this name."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

_REAL = Path(__file__).resolve().parents[2] / "oracle" / "running" / "compile_worker.py"

UNMADE = "unmade"


def main() -> None:
    """Serves as the real one does, but for these programs."""
    sys.path.insert(0, str(_REAL.parents[2]))
    spec = importlib.util.spec_from_file_location("compile_worker", _REAL)
    assert spec is not None
    assert spec.loader is not None
    real = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(real)
    real.declare_library()
    bench = real.Workbench()

    def begin(text: str) -> Any:
        if f"@{UNMADE}(" in text:
            raise ZeroDivisionError("planted")
        return bench.begin(text)

    real.serve(begin, "iree-base-compiler")


if __name__ == "__main__":
    main()
