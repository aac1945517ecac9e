"""What `--compiler` names: the installed IREE, a release, or an interpreter that has IREE.

A release is made into a cached virtual environment with the ordinary package tools, once, also
when two processes ask at a time.
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

_RELEASE = re.compile(r"\d+\.\d+\.\d+(?:rc\d+)?")


class CompilerSetupError(Exception):
    """The compiler could be had, but this machine or its network failed; the message says how."""


class CompilerSpecError(Exception):
    """`--compiler` names nothing that can be used; the message says what to do."""


@dataclass(frozen=True, slots=True)
class CompilerSpec:
    """A compiler under test: what the user wrote, and the interpreter that imports it."""

    spec: str
    interpreter: Path


def resolve(spec: str) -> CompilerSpec:
    """The compiler that `spec` names. Raises CompilerSpecError and CompilerSetupError.

    `installed` is the IREE of this interpreter; `3.12.0` a release; anything else the path of a
    Python interpreter that can import `iree.compiler`.
    """
    if spec == "installed":
        return CompilerSpec(spec, Path(sys.executable))
    if _RELEASE.fullmatch(spec):
        return CompilerSpec(spec, _release_environment(spec))
    if re.fullmatch(r"\d+\.\d+", spec):
        raise CompilerSpecError(f"{spec} is no whole release: say {spec}.0")
    try:
        path = Path(spec).expanduser()
    except RuntimeError as error:
        raise CompilerSpecError(f"{spec}: {error}") from None
    if not spec.strip():
        raise CompilerSpecError("--compiler names nothing")
    if path.is_dir():
        raise CompilerSpecError(
            f"{spec} is a folder: IREE build trees are not supported yet; "
            "name a Python interpreter that can import their bindings"
        )
    if path.name.startswith("iree-opt"):
        raise CompilerSpecError(
            f"{spec}: a bare iree-opt is not supported yet; name a Python interpreter"
        )
    found = shutil.which(spec)
    if found is None:
        raise CompilerSpecError(
            f"{spec} is not `installed`, a release such as 3.12.0, or a Python interpreter"
        )
    return CompilerSpec(spec, Path(found).absolute())


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
