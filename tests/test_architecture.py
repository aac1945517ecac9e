"""The one direction of knowledge, and the size of files."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from reference.ops import OPERATIONS

ROOT = Path(__file__).resolve().parents[1]
STANDARD = set(sys.stdlib_module_names)
MAY_IMPORT = {
    "reference": STANDARD | {"reference", "numpy"},
    "gen": STANDARD | {"reference", "gen", "hypothesis"},
    "oracle": STANDARD
    | {"reference", "gen", "oracle", "hypothesis", "click", "rich", "psutil", "numpy"}
    | {"distributed", "jinja2", "junitparser", "markupsafe", "matplotlib", "scipy"}
    | {"unidiff"},
}
# The worker scripts and what they import run under another interpreter, which knows nothing of this
# project's dependencies.
WORKERS = {
    "oracle/__init__.py": STANDARD,
    "oracle/compiling/__init__.py": STANDARD,
    "oracle/compiling/answers.py": STANDARD,
    "oracle/compiling/memory.py": STANDARD | {"oracle"},
    "oracle/compiling/service.py": STANDARD | {"oracle"},
    "oracle/compiling/session.py": STANDARD | {"iree", "oracle"},
    "oracle/compiling/telling.py": STANDARD | {"iree", "oracle"},
    "oracle/compiling/worker.py": STANDARD | {"iree", "oracle"},
    "oracle/compiling/workshops.py": STANDARD | {"iree", "oracle"},
    "oracle/running/__init__.py": STANDARD,
    "oracle/running/compile_worker.py": STANDARD | {"iree", "oracle"},
    "oracle/running/runtime_worker.py": STANDARD | {"iree", "numpy", "oracle"},
    "oracle/running/serving.py": STANDARD | {"oracle"},
}
MOST_LINES = 400


def files(house: str) -> list[Path]:
    return sorted((ROOT / house).rglob("*.py"))


def names_imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, inside functions too, and what it takes from them."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: imports are absolute"
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imported(path: Path) -> Iterator[str]:
    """The top-level packages that a file imports."""
    return (name.partition(".")[0] for name in names_imported(path))


def files_imported(path: Path) -> Iterator[str]:
    """The files of this project that a file imports, those of the packages they are in too."""
    for name in names_imported(path):
        parts = name.split(".")
        for length in range(1, len(parts) + 1):
            stem = "/".join(parts[:length])
            for file in (f"{stem}.py", f"{stem}/__init__.py"):
                if (ROOT / file).is_file():
                    yield file


@pytest.mark.parametrize("house", MAY_IMPORT)
def test_nothing_imports_upwards(house: str) -> None:
    for path in files(house):
        name = path.relative_to(ROOT).as_posix()
        assert set(imported(path)) <= WORKERS.get(name, MAY_IMPORT[house]), name


def test_workers_know_only_each_other() -> None:
    for name in WORKERS:
        assert set(files_imported(ROOT / name)) <= set(WORKERS), name


def test_the_reference_touches_no_files_and_starts_nothing() -> None:
    for path in files("reference"):
        forbidden = {"os", "pathlib", "shutil", "socket", "subprocess", "multiprocessing"}
        assert not forbidden & set(imported(path)), path.name


@pytest.mark.parametrize("house", MAY_IMPORT)
def test_a_file_is_small_enough_to_hold_in_the_head(house: str) -> None:
    for path in files(house):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        assert lines <= MOST_LINES, f"{path.relative_to(ROOT)} has {lines} lines"


def test_each_op_has_a_file_of_its_own() -> None:
    homes = {kind.__module__ for kind in OPERATIONS.values()}
    assert len(homes) == len(set(OPERATIONS.values()))


def test_each_op_is_tested() -> None:
    names = {
        node.id
        for name in ("test_ops.py", "test_command_ops.py")
        for node in ast.walk(ast.parse((ROOT / "tests/reference" / name).read_text("utf-8")))
        if isinstance(node, ast.Name)
    }
    assert {kind.__name__ for kind in OPERATIONS.values()} <= names
