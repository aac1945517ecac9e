"""What `--compiler` names: the installed IREE, a release, an interpreter that has IREE, an IREE
build tree, or a bare `iree-opt`.

A build tree is a folder that CMake built IREE in: its Python bindings are used where it has them
(`IREE_BUILD_PYTHON_BINDINGS`), its `tools/iree-opt` alone where not. A release is made into a
cached virtual environment with the ordinary package tools, once, also when two processes ask at a
time.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from pathlib import Path

_OPT = "iree-opt"
_RELEASE = re.compile(r"\d+\.\d+\.\d+(?:rc\d+)?")
_INTERPRETER = re.compile(r"^_?Python3_EXECUTABLE:\w+=(?P<path>\S.*)$", re.MULTILINE)


class CompilerSetupError(Exception):
    """The compiler could be had, but this machine or its network failed; the message says how."""


class CompilerSpecError(Exception):
    """`--compiler` names nothing that can be used; the message says what to do."""


@dataclass(frozen=True, slots=True)
class CompilerSpec:
    """A compiler under test: what the user wrote, and how it is reached.

    `interpreter` imports `iree.compiler`, with `environment` added to its variables. `tools` is the
    folder of `iree-opt` and the like. Where `bare` is set, there are no bindings: that `iree-opt`
    does all the work, and `interpreter` only reads what it prints.
    """

    spec: str
    interpreter: Path
    tools: Path
    environment: tuple[tuple[str, str], ...] = ()
    bare: Path | None = None


def resolve(spec: str) -> CompilerSpec:
    """The compiler that `spec` names. Raises CompilerSpecError and CompilerSetupError.

    `installed` is the IREE of this interpreter; `3.12.0` a release; a folder an IREE build tree; a
    file called `iree-opt` that tool; anything else the path of a Python interpreter that can import
    `iree.compiler`.
    """
    if spec == "installed":
        return _with_bindings(spec, Path(sys.executable))
    if _RELEASE.fullmatch(spec):
        return _with_bindings(spec, _release_environment(spec))
    if re.fullmatch(r"\d+\.\d+", spec):
        raise CompilerSpecError(f"{spec} is no whole release: say {spec}.0")
    if not spec.strip():
        raise CompilerSpecError("--compiler names nothing")
    try:
        path = Path(spec).expanduser()
    except RuntimeError as error:
        raise CompilerSpecError(f"{spec}: {error}") from None
    if path.is_dir():
        return _build_tree(spec, path.absolute())
    found = shutil.which(path)
    if found is None:
        if path.exists():
            raise CompilerSpecError(f"{spec} is there, but no program that can be run")
        raise CompilerSpecError(
            f"{spec} is not `installed`, a release such as 3.12.0, an IREE build tree, an "
            "iree-opt, or a Python interpreter"
        )
    program = Path(found).absolute()
    if program.stem == _OPT:
        return CompilerSpec(spec, Path(sys.executable), program.parent, bare=program)
    return _with_bindings(spec, program)


def _with_bindings(spec: str, interpreter: Path) -> CompilerSpec:
    return CompilerSpec(spec, interpreter, interpreter.parent)


def _build_tree(spec: str, folder: Path) -> CompilerSpec:
    """An IREE build tree, as CMake lays it out (CMakeLists.txt and
    compiler/bindings/python/CMakeLists.txt of IREE: what is written to `.env` and where the
    bindings' modules are put together)."""
    tools = folder / "tools"
    bindings = [folder / part / "bindings" / "python" for part in ("compiler", "runtime")]
    if (bindings[0] / "iree" / "compiler" / "_mlir_libs").is_dir():
        paths = [str(one) for one in bindings if one.is_dir()]
        if os.environ.get("PYTHONPATH"):
            paths.append(os.environ["PYTHONPATH"])
        variables = (("PYTHONPATH", os.pathsep.join(paths)),)
        return CompilerSpec(spec, _tree_interpreter(folder), tools, variables)
    tool = tools / _OPT
    if os.access(tool, os.X_OK):
        return CompilerSpec(spec, Path(sys.executable), tools, bare=tool)
    if (folder / "CMakeCache.txt").exists() or tools.is_dir():
        raise CompilerSpecError(
            f"{spec} is a build tree without compiler/bindings/python and without tools/iree-opt: "
            "build the target iree-opt or iree-compiler-python-package there first"
        )
    raise CompilerSpecError(
        f"{spec} is a folder, but no IREE build tree: it has neither compiler/bindings/python "
        "nor tools/iree-opt"
    )


def _tree_interpreter(folder: Path) -> Path:
    """The interpreter that the tree's bindings were built for; ours where the tree does not say."""
    try:
        cache = (folder / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return Path(sys.executable)
    found = _INTERPRETER.search(cache)
    if found is None or not os.access(found["path"], os.X_OK):
        return Path(sys.executable)
    return Path(found["path"])


def cache_folder() -> Path:
    """Where virtual environments of releases are kept (XDG_CACHE_HOME is obeyed)."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "crosscurrent" / "releases"


def _release_environment(release: str) -> Path:
    """The interpreter of a release's environment, made if it is not there yet."""
    folder = cache_folder()
    interpreter = folder / release / "bin" / "python"
    if interpreter.exists():
        return interpreter
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"{release}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for left_over in folder.glob(f".{release}-*"):
                shutil.rmtree(left_over, ignore_errors=True)
            if not interpreter.exists():
                _make_environment(folder, release)
    except OSError as error:
        message = f"cannot make an environment for IREE {release}: {error}"
        raise CompilerSetupError(message) from None
    return interpreter


def _make_environment(folder: Path, release: str) -> None:
    unfinished = Path(tempfile.mkdtemp(prefix=f".{release}-", dir=folder))
    try:
        venv.create(unfinished, with_pip=True)
        packages = [f"iree-base-compiler=={release}", f"iree-base-runtime=={release}"]
        python = str(unfinished / "bin" / "python")
        install = [python, "-m", "pip", "install", "--quiet", *packages]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if done.returncode:
            if "connection" in done.stderr.lower():
                raise CompilerSetupError(f"IREE {release}: no connection to the package index")
            lines = [line for line in done.stderr.splitlines() if "ERROR" in line]
            reason = (lines or done.stderr.splitlines() or ["pip failed"])[-1]
            raise CompilerSpecError(f"IREE {release} cannot be installed: {reason}")
        _rewrite_paths(unfinished, folder / release)
        unfinished.rename(folder / release)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _rewrite_paths(unfinished: Path, final: Path) -> None:
    """Scripts of the environment name its interpreter: the one it has after the rename."""
    for script in (unfinished / "bin").iterdir():
        if script.is_symlink() or not script.is_file():
            continue
        content = script.read_bytes()
        if content.startswith(b"#!"):
            script.write_bytes(content.replace(os.fsencode(unfinished), os.fsencode(final)))
