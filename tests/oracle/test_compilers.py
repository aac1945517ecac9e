"""What `--compiler` may name, and the making of a release's environment."""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from pathlib import Path

import pytest

from oracle.compiling import compilers
from oracle.compiling.answers import Outcome, Request
from oracle.compiling.compiler import CompilerProcess
from oracle.compiling.compilers import CompilerSetupError, CompilerSpecError, cache_folder, resolve
from oracle.examiner import ExaminerSettings


def make_slowly(folder: Path, release: str) -> None:
    """An environment without a download: notes each making of it."""
    with (folder / "made").open("a") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(0.5)
    interpreter = folder / release / "bin" / "python"
    interpreter.parent.mkdir(parents=True)
    interpreter.symlink_to(sys.executable)


def resolve_in_a_process(spec: str) -> str:
    compilers._make_environment = make_slowly
    return str(resolve(spec).interpreter)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "crosscurrent" / "releases"


def test_the_installed_one() -> None:
    assert resolve("installed").interpreter == Path(sys.executable)


def test_an_interpreter_by_path_or_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = tmp_path / "my-python"
    link.symlink_to(sys.executable)
    assert resolve(str(link)).interpreter == link
    monkeypatch.setenv("PATH", str(tmp_path))
    assert resolve("my-python").interpreter == link


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("nonsense", "not `installed`, a release"),
        ("3.12", "say 3.12.0"),
        ("", "names nothing"),
        ("no/such/python", "not `installed`"),
        ("some/where/iree-opt", "not `installed`"),
    ],
)
def test_what_names_nothing(spec: str, said: str) -> None:
    with pytest.raises(CompilerSpecError, match=said):
        resolve(spec)


def test_a_folder_that_is_no_build_tree(tmp_path: Path) -> None:
    with pytest.raises(CompilerSpecError, match="no IREE build tree"):
        resolve(str(tmp_path))


def test_a_release_is_made_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_folder() == cache
    monkeypatch.setattr(compilers, "_make_environment", make_slowly)
    first = resolve("9.9.9")
    assert first.interpreter == cache / "9.9.9" / "bin" / "python"
    assert resolve("9.9.9") == first
    assert len((cache / "made").read_text().splitlines()) == 1


def test_two_processes_ask_for_a_release_at_once(cache: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        found = pool.map(resolve_in_a_process, ["9.9.9"] * 3, chunksize=1)
    assert set(found) == {str(cache / "9.9.9" / "bin" / "python")}
    assert len((cache / "made").read_text().splitlines()) == 1


def test_a_cache_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(CompilerSetupError, match=r"cannot make an environment for IREE 9\.9\.9"):
        resolve("9.9.9")


def test_scripts_name_the_interpreter_of_the_finished_environment(tmp_path: Path) -> None:
    unfinished, final = tmp_path / ".unfinished", tmp_path / "final"
    scripts = unfinished / "bin"
    scripts.mkdir(parents=True)
    (scripts / "iree-opt").write_text(f"#!{unfinished}/bin/python\nprint()\n")
    (scripts / "binary").write_bytes(b"\x7fELF\x00")
    compilers._rewrite_paths(unfinished, final)
    assert (scripts / "iree-opt").read_text() == f"#!{final}/bin/python\nprint()\n"
    assert (scripts / "binary").read_bytes() == b"\x7fELF\x00"


def tree(folder: Path, *, bindings: bool, tool: bool) -> Path:
    """An IREE build tree as CMake lays it out, of what is installed here."""
    (folder / "tools").mkdir(parents=True)
    if tool:
        (folder / "tools" / "iree-opt").symlink_to(Path(sys.executable).parent / "iree-opt")
    if bindings:
        iree = pytest.importorskip("iree.compiler")
        package = Path(iree.__file__).parent
        there = folder / "compiler" / "bindings" / "python" / "iree"
        there.mkdir(parents=True)
        (there / "compiler").symlink_to(package)
        (folder / "runtime" / "bindings" / "python").mkdir(parents=True)
    (folder / "CMakeCache.txt").write_text(
        f"CMAKE_BUILD_TYPE:STRING=Release\nPython3_EXECUTABLE:FILEPATH={sys.executable}\n"
    )
    return folder


def test_a_build_tree_with_bindings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    folder = tree(tmp_path / "build", bindings=True, tool=True)
    found = resolve(str(folder))
    paths = [str(folder / part / "bindings" / "python") for part in ("compiler", "runtime")]
    assert dict(found.environment) == {"PYTHONPATH": os.pathsep.join([*paths, "elsewhere"])}
    assert found.interpreter == Path(sys.executable)
    assert found.tools == folder / "tools"
    assert found.bare is None
    settings = ExaminerSettings.of(found)
    with CompilerProcess(settings.interpreter, environment=settings.variables) as process:
        (answer,) = process.ask([Request("module {}", (("parse",), ("print", False)))])
    assert answer.outcome is Outcome.OK


def test_the_release_of_an_installed_iree_is_not_that_of_a_tree(tmp_path: Path) -> None:
    package = Path(pytest.importorskip("iree.compiler").__file__).parent
    copy = tmp_path / "tree" / "iree"
    copy.mkdir(parents=True)
    (copy / "compiler").mkdir()
    for item in package.iterdir():
        if item.name == "ir.py":
            (copy / "compiler" / "ir.py").write_bytes(item.read_bytes())
        else:
            (copy / "compiler" / item.name).symlink_to(item)
    variables = {**os.environ, "PYTHONPATH": str(tmp_path / "tree")}
    with CompilerProcess(environment=variables) as process:
        assert process.release is None
    with CompilerProcess() as process:
        assert process.release is not None


def test_a_build_tree_without_bindings(tmp_path: Path) -> None:
    folder = tree(tmp_path / "build", bindings=False, tool=True)
    found = resolve(str(folder))
    assert found.bare == folder / "tools" / "iree-opt"
    assert resolve(str(folder / "tools" / "iree-opt")).bare == found.bare


def test_a_build_tree_that_was_not_built(tmp_path: Path) -> None:
    with pytest.raises(CompilerSpecError, match="build the target iree-opt"):
        resolve(str(tree(tmp_path / "build", bindings=False, tool=False)))


def test_a_file_that_is_no_program(tmp_path: Path) -> None:
    file = tmp_path / "iree-opt"
    file.write_text("")
    with pytest.raises(CompilerSpecError, match="no program that can be run"):
        resolve(str(file))
