"""The compiler process: runs IREE's passes in-process and answers requests on a socket.

Run as ``PYTHON worker.py SOCKET_FD [PROGRESS_FD [FLAG...]]`` by `oracle.compiling.compiler`, under
the interpreter of the compiler under test; FLAGs are the compiler's own, such as
``--iree-stream-partitioning-favor=debug``. Hence it imports the standard library, `iree.compiler`
and those few files of this project that do the same, and runs unchanged under IREE 3.9 to 3.13.
Messages are UTF-8 JSON, framed by `multiprocessing.connection.Connection`, but replies, which are
large, are in Python's own `marshal` form of the same data; the worker begins with a hello, then
replies in order::

    hello    {"release": "3.13.0"|null, "revision": str|null, "python": "3.11.7", "pid": int}
    request  {"job": any, "text": MLIR, "steps": [[verb, argument...]...], "dialects": [str]|absent,
              "known": how many of the first steps need not be told about, none when absent}
    reply    {"job": any, "results": [one a completed step], "seconds": float,
              "times": [processor seconds of each completed step],
              "failure": null | {"step": index, "kind": KIND, "diagnostics": [diagnostic...]}}
    loss     {"lost": the negative signal or the exit code, "step": index} instead of a reply

A process that is warm stays behind, and a copy of it answers. Is the copy lost in the middle of a
step, the loss is told and another copy answers what follows: a new process would have to import the
compiler and to make its passes anew. The file of PROGRESS_FD holds two 64-bit integers, the step
under way and the id of the process that answers, 0 for the one that was started.

KIND: ``parse`` (refused by the parser, or by the verifier behind it), ``pass`` (a pass, or the
verifier after it, failed), ``verify``, ``unknown-pass`` (or a pipeline that does not parse) or
``internal`` (an error of the bindings, of a step's spelling, of our own). The verbs are `VERBS`,
methods of `Session` (`oracle/compiling/session.py`); the first step has to be ``parse``. Attributes
are told as ``{"integer": 5, "type": "i32"}``, ``true`` (an i1), ``{"float": 1.5, "type": "f32"}``
(finite), ``"a string"``, ``{"symbol": ["ex", "nested"]}``, ``[an array's items]``,
``{"dictionary": {...}}``, ``{"type": "i32"}``, ``{"unit": true}``, a dense array as
``{"integers": [1, 2], "type": "i64"}`` and all else as
``{"text": "#hal.device.affinity<@dev_a>"}``.
"""

import contextlib
import ctypes
import gc
import importlib
import importlib.metadata
import marshal
import mmap
import os
import platform
import struct
import sys
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection

if __name__ == "__main__":
    # The files beside a script are not to be found by their bare names. The project's root stays
    # on the path no longer than that: another IREE may be installed there.
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    importlib.import_module("oracle")
    del sys.path[0]

# NumPy comes with the bindings, and a thread for each core with it, which no copy of a process has.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
try:
    from iree.compiler import ir
except ImportError as error:
    sys.exit(f"cannot import iree.compiler: {error}")

from oracle.compiling import service
from oracle.compiling.answers import LOOKS, Json
from oracle.compiling.memory import Memory
from oracle.compiling.service import (
    ANSWERING,
    IDLE,
    MARSHAL_VERSION,
    Answerer,
    JsonObject,
    NoteStep,
    StepError,
    die_with_parent,
    failure,
    message,
)
from oracle.compiling.session import Session
from oracle.compiling.workshops import Workshops

# Most of a pass's time is the rebuilding of every loaded dialect's canonicalization patterns, so as
# few as Stream programs need; the parser loads any other dialect that a text uses.
DEFAULT_DIALECTS = ("builtin", "util", "stream", "hal", "arith", "func", "scf", "cf")


def _results(
    shops: Workshops,
    memory: Memory,
    request: JsonObject,
    note_step: NoteStep,
    results: list[Json],
    times: list[float],
) -> None:
    """Appends the results of a request's steps, and the processor time that each took; what it
    holds of the module dies with it.

    Of the first steps, whose results the asker knows, only those are taken that are needed to go
    on, their results being null.
    """
    text, steps, names = request["text"], request["steps"], request.get("dialects")
    known = request.get("known", 0)
    if not isinstance(text, str) or not isinstance(steps, list) or not isinstance(known, int):
        raise StepError("internal", [message("a request needs a text and a list of steps")])
    dialects = tuple(map(str, names)) if isinstance(names, list) else DEFAULT_DIALECTS
    session = Session(shops, text, dialects)
    key = text, dialects
    found = memory.find(key, steps[:known])
    if found is not None:
        results += [None] * found[0]
        times += [0.0] * found[0]
        session.resume(found[1])
    ended = time.process_time()
    for index, step in enumerate(steps[len(results) :], start=len(results)):
        note_step(index)
        match step:
            case [str(verb), *_] if index < known and verb in LOOKS:
                results.append(None)
            case [str(verb), *arguments]:
                results.append(session.perform(verb, arguments))
            case _:
                raise StepError("internal", [message(f"not a step: {step}")])
        # To ask for the time takes some: the end of a step is the beginning of the next.
        started, ended = ended, time.process_time()
        times.append(ended - started)
        if step == ["reparse"]:
            memory.keep(key, steps[: index + 1], session.text)


def make_answerer() -> Answerer:
    """A function from a request, and a place to note the step under way, to the reply."""
    shops, memory = Workshops(), Memory()

    def answer(request: JsonObject, note_step: NoteStep) -> JsonObject:
        results: list[Json] = []
        times: list[float] = []
        failed: JsonObject | None = None
        started = time.perf_counter()
        try:
            _results(shops, memory, request, note_step, results, times)
        except RecursionError:
            too_deep = StepError("parse", [message("the module is nested too deeply to be read")])
            failed = failure(too_deep, step=len(results))
        except Exception as error:
            failed = failure(error, step=len(results))
        seconds = time.perf_counter() - started
        job = request.get("job")
        return {
            "job": job,
            "results": results,
            "seconds": seconds,
            "times": list(times),
            "failure": failed,
        }

    return answer


def hello() -> JsonObject:
    """What this interpreter runs: a build directory has neither metadata nor a version module."""
    release: str | None = None
    revision: str | None = None
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        package = importlib.metadata.distribution("iree-base-compiler")
        # A build tree goes before an installed IREE, whose release is not the tree's.
        installed = os.path.realpath(str(package.locate_file("iree/compiler")))
        used = os.path.dirname(os.path.realpath(ir.__file__ or ""))
        release = package.version if used == installed else None
    with contextlib.suppress(ImportError, AttributeError):
        from iree.compiler import version

        revision = version.REVISIONS.get("IREE")
    python = platform.python_version()
    return {"release": release, "revision": revision, "python": python, "pid": os.getpid()}


def set_flags(flags: Sequence[str]) -> None:
    """Sets flags of the compiler for the whole process, once. It exits by itself when one is wrong.

    The bindings have no way to do it, the C API has (embedding_api.h).
    """
    libraries = os.path.dirname(sys.modules["iree.compiler._mlir_libs"].__file__ or "")
    library = ctypes.CDLL(os.path.join(libraries, "libIREECompiler.so"))
    arguments = [b"worker", *(flag.encode() for flag in flags)]
    library.ireeCompilerSetupGlobalCL(
        len(arguments), (ctypes.c_char_p * len(arguments))(*arguments), b"", False
    )


def stay_behind(connection: Connection, progress: mmap.mmap) -> None:
    """Returns in a copy of this process, and in another one whenever a copy is lost in the middle
    of a step. Of any other end nothing is known, such as whether a reply was cut off: then this
    process ends in the same way."""
    gc.freeze()
    keeper = os.getpid()
    while True:
        copy = os.fork()
        if copy == 0:
            die_with_parent()
            if os.getppid() != keeper:
                os._exit(0)
            struct.pack_into("<q", progress, ANSWERING, os.getpid())
            return
        _, status = os.waitpid(copy, 0)
        code = os.waitstatus_to_exitcode(status)
        (step,) = struct.unpack_from("<q", progress, 0)
        if code == 0 or step == IDLE:
            if code < 0:
                os.kill(keeper, -code)
            os._exit(code)
        struct.pack_into("<q", progress, 0, IDLE)
        connection.send_bytes(marshal.dumps({"lost": code, "step": step}, MARSHAL_VERSION))


def serve(answer: Answerer) -> None:
    """Answers requests until the peer closes, then ends the process."""
    service.serve(hello(), answer, stay_behind)


if __name__ == "__main__":
    if len(sys.argv) > 3:
        set_flags(sys.argv[3:])
    serve(make_answerer())
