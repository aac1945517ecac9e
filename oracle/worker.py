"""The compiler process: runs IREE's passes in-process and answers requests on a socket.

Run as ``PYTHON worker.py SOCKET_FD [PROGRESS_FD]`` by `oracle.compiler`, under the interpreter of
the compiler under test. For that reason it imports the standard library and `iree.compiler` only,
nothing of this project, and runs unchanged under IREE 3.11, 3.12 and 3.13.

Messages are UTF-8 JSON, framed by `multiprocessing.connection.Connection`.

Hello (once, from the worker)::

    {"release": "3.13.0"|null, "revision": str|null, "python": "3.11.7", "pid": int}

Request::

    {"job": any, "text": MLIR, "steps": [[verb, argument...], ...], "dialects": [str]|absent}

Reply, one a request, in order::

    {"job": any, "results": [one a completed step], "seconds": float,
     "failure": null | {"step": index, "kind": KIND, "diagnostics": [diagnostic]}}

KIND is ``parse`` (text refused, by the parser or the verifier behind it), ``pass`` (a pass, or the
verifier after it, failed), ``verify``, ``unknown-pass`` (or a pipeline that does not parse) and
``internal`` (an error of the bindings, of a step's spelling or of this file).

The verbs are the public methods of `Session`; the first step of a request has to be ``parse``.
Of an attribute they tell:

=========================== ===================================================
integer                     ``{"integer": 5, "type": "i32"}``
bool                        ``true``
float                       ``{"float": 1.5, "type": "f32"}`` (finite ones)
string                      ``"text"``
symbol reference            ``{"symbol": ["ex", "dispatch"]}``
array                       ``[...]``
dictionary                  ``{"dictionary": {...}}``
type                        ``{"type": "i32"}``
unit                        ``{"unit": true}``
dense array of ints, bools  ``{"integers": [1, 2], "type": "i64"}``
all else                    ``{"text": "#hal.device.affinity<@dev_a>"}``
=========================== ===================================================
"""

import ctypes
import gc
import hashlib
import importlib.metadata
import json
import math
import mmap
import os
import platform
import signal
import struct
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import TypeAlias

try:
    from iree.compiler import ir, passmanager
except ImportError as error:
    sys.exit(f"cannot import iree.compiler: {error}")

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
JsonObject: TypeAlias = "dict[str, Json]"

# Most of a pass's time is the rebuilding of every loaded dialect's canonicalization patterns, so as
# few as Stream programs need; the parser loads any other dialect that a text uses.
DEFAULT_DIALECTS = ("builtin", "util", "stream", "hal", "arith", "func", "scf", "cf")
# Contexts never free what they unique (attributes, locations), hence they are replaced.
CONTEXT_USES = 2048
ROUNDTRIP_CONTEXT_USES = 256
IDLE_STEP = -1
_PR_SET_PDEATHSIG = 1
_DENSE_INTEGERS = {
    ir.DenseBoolArrayAttr: "i1",
    ir.DenseI8ArrayAttr: "i8",
    ir.DenseI16ArrayAttr: "i16",
    ir.DenseI32ArrayAttr: "i32",
    ir.DenseI64ArrayAttr: "i64",
}


class StepFailure(Exception):
    """A step did not succeed: the kind of failure and its diagnostics."""

    def __init__(self, kind: str, diagnostics: list[Json]) -> None:
        super().__init__(kind)
        self.kind = kind
        self.diagnostics = diagnostics


def _message(text: str) -> JsonObject:
    return {"severity": "error", "message": text, "location": None, "notes": []}


def _loc_kind_by_class(location: ir.Location) -> str:
    return type(location).__name__


def _loc_kind_by_question(location: ir.Location) -> str:
    if location.is_a_name():
        return "NameLoc"
    if location.is_a_file():
        return "FileLineColLoc"
    if location.is_a_fused():
        return "FusedLoc"
    return "CallSiteLoc" if location.is_a_callsite() else "UnknownLoc"


# One class a kind of location since 3.12, one class with `is_a_…` questions before.
_loc_kind = _loc_kind_by_class if hasattr(ir, "NameLoc") else _loc_kind_by_question


def _names(location: ir.Location) -> list[str]:
    """Every name in a location, outermost first, without repetition."""
    kind = _loc_kind(location)
    if kind == "NameLoc":
        return [location.name_str]
    if kind == "FusedLoc":
        parts = location.locations
        return list(dict.fromkeys(name for part in parts for name in _names(part)))
    return _names(location.callee) if kind == "CallSiteLoc" else []


def _put_location(entry: JsonObject, location: ir.Location) -> None:
    """Adds "location" (a name), "line" and, for fused locations, "locations" to an op's entry.

    An op inlined from elsewhere (a call site location) is known by the callee's name.
    """
    kind = _loc_kind(location)
    entry["location"] = entry["line"] = None
    if kind == "NameLoc":
        entry["location"] = location.name_str
    elif kind == "FileLineColLoc":
        entry["line"] = location.start_line
    elif kind == "CallSiteLoc":
        _put_location(entry, location.callee)
    elif kind == "FusedLoc":
        names = _names(location)
        entry["location"] = names[0] if len(names) == 1 else None
        entry["locations"] = list(names)


def _diagnostic(item: "ir.Diagnostic | ir.DiagnosticInfo") -> JsonObject:
    """A diagnostic as plain data: the handles die with the call that reports them."""
    place = item.location
    kind = _loc_kind(place)
    location: JsonObject
    if kind == "FileLineColLoc":
        location = {"file": place.filename, "line": place.start_line, "column": place.start_col}
        if not isinstance(place.filename, str):
            location["file"] = place.filename.value
    elif kind == "NameLoc":
        location = {"name": place.name_str}
    else:
        location = {"text": str(place)}
    return {
        "severity": str(item.severity).rpartition(".")[2].lower(),
        "message": item.message,
        "location": location,
        "notes": [_diagnostic(note) for note in item.notes],
    }


class Workshop:
    """A context with what may be kept as long as it lives: pass managers and printed forms."""

    def __init__(self, dialects: Sequence[str]) -> None:
        self.context = ir.Context(load_on_create_dialects=list(dialects))
        self.context.enable_multithreading(False)
        self.uses = 0
        self.heard: list[Json] = []
        self._pass_managers: dict[str, passmanager.PassManager] = {}
        self._types: dict[ir.Type, str] = {}
        self._attributes: dict[ir.Attribute, Json] = {}
        heard = self.heard

        def hear(diagnostic: ir.Diagnostic) -> bool:
            heard.append(_diagnostic(diagnostic))
            return True

        self._handler = self.context.attach_diagnostic_handler(hear)

    def close(self) -> None:
        """Lets the context go: an attached handler would keep it alive."""
        self._handler.detach()

    def failure(self, kind: str, error: ir.MLIRError) -> StepFailure:
        """The failure of a step: errors come with the exception, all else through the handler."""
        errors: list[Json] = [_diagnostic(item) for item in error.error_diagnostics]
        return StepFailure(kind, [*errors, *(item for item in self.heard if item not in errors)])

    def parse(self, text: str) -> ir.Module:
        """The module that a text denotes, or a `StepFailure` of kind "parse"."""
        self.uses += 1
        try:
            return ir.Module.parse(text)
        except ir.MLIRError as error:
            raise self.failure("parse", error) from None

    def pass_manager(self, pipeline: str) -> passmanager.PassManager:
        """The pass manager of a pipeline text such as ``builtin.module(canonicalize)``."""
        manager = self._pass_managers.get(pipeline)
        if manager is None:
            try:
                manager = passmanager.PassManager.parse(pipeline)
            except ValueError as error:
                raise StepFailure("unknown-pass", [_message(str(error))]) from None
            manager.enable_verifier(True)
            self._pass_managers[pipeline] = manager
        return manager

    def type(self, value: ir.Type) -> str:
        """A type's text."""
        text = self._types.get(value)
        if text is None:
            text = self._types[value] = str(value)
        return text

    def attribute(self, value: ir.Attribute) -> Json:
        """An attribute as plain data, in the forms of this file's docstring."""
        try:
            return self._attributes[value]
        except KeyError:
            plain = self._attributes[value] = self._plain(value)
            return plain

    def _plain(self, value: ir.Attribute) -> Json:
        if isinstance(value, ir.BoolAttr | ir.StringAttr):
            return value.value
        if isinstance(value, ir.IntegerAttr):
            return {"integer": value.value, "type": self.type(value.type)}
        if isinstance(value, ir.FloatAttr) and math.isfinite(value.value):
            return {"float": value.value, "type": self.type(value.type)}
        if isinstance(value, ir.FlatSymbolRefAttr):
            return {"symbol": [value.value]}
        if isinstance(value, ir.SymbolRefAttr):
            return {"symbol": list(value.value)}
        if isinstance(value, ir.ArrayAttr):
            return [self.attribute(item) for item in value]
        if isinstance(value, ir.DictAttr):
            return {"dictionary": {item.name: self.attribute(item.attr) for item in value}}
        if isinstance(value, ir.TypeAttr):
            return {"type": self.type(value.value)}
        if isinstance(value, ir.UnitAttr):
            return {"unit": True}
        for form, element in _DENSE_INTEGERS.items():
            if isinstance(value, form):
                return {"integers": [int(item) for item in value], "type": element}
        return {"text": str(value)}

    def attributes(self, op: ir.Operation) -> JsonObject:
        """An op's attributes, its properties included."""
        plain = self.attribute
        return {name: plain(value) for name, value in op.attributes.items()}

    def read(self, op: ir.Operation, ids: dict[ir.Value, int]) -> JsonObject:
        """An op with all it contains; `ids` numbers the values seen so far."""
        kind = self.type
        entry: JsonObject = {"name": op.name}
        _put_location(entry, op.location)
        entry["operands"] = [ids.setdefault(value, len(ids)) for value in op.operands]
        entry["results"] = [
            [ids.setdefault(value, len(ids)), kind(value.type)] for value in op.results
        ]
        entry["attributes"] = self.attributes(op)
        regions: list[Json] = []
        for region in op.regions:
            blocks = list(region.blocks)
            read_blocks: list[Json] = []
            for block in blocks:
                arguments: list[Json] = [
                    [ids.setdefault(value, len(ids)), kind(value.type)] for value in block.arguments
                ]
                inner: list[Json] = []
                for child in block.operations:
                    child_op = child.operation
                    read_child = self.read(child_op, ids)
                    read_child["successors"] = [blocks.index(to) for to in child_op.successors]
                    inner.append(read_child)
                read_blocks.append({"arguments": arguments, "operations": inner})
            regions.append(read_blocks)
        entry["regions"] = regions
        entry["successors"] = []
        return entry

    def describe(self, op: ir.Operation) -> JsonObject:
        """An op's name, location and attributes."""
        entry: JsonObject = {"name": op.name}
        _put_location(entry, op.location)
        entry["attributes"] = self.attributes(op)
        return entry

    def find(
        self, op: ir.Operation, names: frozenset[str], around: list[ir.Operation], found: list[Json]
    ) -> None:
        """Appends to `found` the ops of these names inside `op`; `around` is `op`'s enclosure."""
        regions = op.regions
        if not len(regions):
            return
        around.append(op)
        for region in regions:
            for block in region.blocks:
                for child in block.operations:
                    child_op = child.operation
                    if child_op.name in names:
                        entry = self.describe(child_op)
                        entry["operand_types"] = [self.type(v.type) for v in child_op.operands]
                        entry["result_types"] = [self.type(v.type) for v in child_op.results]
                        entry["within"] = [self.describe(outer) for outer in reversed(around)]
                        found.append(entry)
                    self.find(child_op, names, around, found)
        around.pop()


class Workshops:
    """The contexts of this process, one a set of dialects and purpose, replaced when worn."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, tuple[str, ...]], Workshop] = {}

    def take(self, purpose: str, dialects: tuple[str, ...], text: str, limit: int) -> Workshop:
        """A context to parse `text` in, `limit` being the uses after which it is replaced."""
        key = (purpose, dialects)
        workshop = self._kept.get(key)
        if workshop is not None and workshop.uses >= limit:
            workshop.close()
            workshop = None
        if workshop is None:
            workshop = self._kept[key] = Workshop(dialects)
        if "dense_resource" in text:
            # A resource's name is taken for as long as the context lives: the next module that
            # says `dense_resource<x>` would be given `x_1`.
            workshop.uses = limit
        return workshop


class Session:
    """The steps of one request; every public method is a verb that a step may name."""

    def __init__(self, shops: Workshops, text: str, dialects: tuple[str, ...]) -> None:
        self._shops = shops
        self._text = text
        self._dialects = dialects
        self._shop = shops.take("compile", dialects, text, CONTEXT_USES)
        self._module: ir.Module | None = None

    def perform(self, verb: str, arguments: Sequence[Json]) -> Json:
        """The result of one step."""
        action: Callable[..., Json] | None = None
        if not verb.startswith("_") and verb != "perform":
            action = getattr(self, verb, None)
        if action is None:
            raise StepFailure("internal", [_message(f"no such step: {verb}")])
        self._shop.heard.clear()
        with self._shop.context:
            return action(*arguments)

    @property
    def _root(self) -> ir.Operation:
        # Asked for anew by every step: handles from before a pass must not be touched after it.
        if self._module is None:
            raise StepFailure("internal", [_message("no module: the first step is not parse")])
        return self._module.operation

    def parse(self) -> None:
        """Makes the request's text the current module."""
        self._module = self._shop.parse(self._text)

    def run(self, pipeline: str) -> None:
        """Runs a pass pipeline, the verifier on, over the current module."""
        root = self._root
        manager = self._shop.pass_manager(pipeline)
        try:
            manager.run(root)
        except ir.MLIRError as error:
            raise self._shop.failure("pass", error) from None

    def fixpoint(self, pipeline: str, limit: int) -> int:
        """Runs a pipeline until its passes report no change; returns the number of runs.

        What `iree-util-fixed-point-iterator` does (compiler/src/iree/compiler/Dialect/Util/
        Transforms/FixedPointIterator.cpp), which written as text runs nothing.
        """
        marker, modified = "iree.fixedpoint.iteration", "iree.fixedpoint.modified"
        for iteration in range(limit):
            attributes = self._root.attributes
            attributes[marker] = ir.IntegerAttr.get(ir.IndexType.get(), iteration)
            if modified in attributes:
                del attributes[modified]
            self.run(pipeline)
            attributes = self._root.attributes
            if modified not in attributes:
                del attributes[marker]
                return iteration + 1
        text = "maximum iteration count exceeded in fixed point pipeline"
        raise StepFailure("pass", [_message(text)])

    def verify(self) -> None:
        """Verifies the current module."""
        try:
            if not self._root.verify():
                raise StepFailure("verify", list(self._shop.heard))
        except ir.MLIRError as error:
            raise self._shop.failure("verify", error) from None

    def print(self, with_locations: bool) -> str:
        """The current module's text."""
        return str(self._root.get_asm(enable_debug_info=with_locations))

    def digest(self) -> str:
        """The SHA-256, in hexadecimal, of the current module's text with locations."""
        return hashlib.sha256(self.print(True).encode()).hexdigest()

    def roundtrip(self) -> Json:
        """Prints, parses in another context and prints again: null if both texts are equal."""
        before = self.print(True)
        other = self._shops.take("roundtrip", self._dialects, before, ROUNDTRIP_CONTEXT_USES)
        other.heard.clear()
        with other.context:
            try:
                again = other.parse(before)
            except StepFailure as refused:
                return {"before": before, "diagnostics": refused.diagnostics}
            after = str(again.operation.get_asm(enable_debug_info=True))
        return None if before == after else {"before": before, "after": after}

    def read(self) -> Json:
        """The current module as nested data; values are numbered in the order they are met."""
        return self._shop.read(self._root, {})

    def find(self, names: list[str]) -> Json:
        """The ops of these names, each with the ops it lies within, innermost first."""
        found: list[Json] = []
        self._shop.find(self._root, frozenset(names), [], found)
        return found


Answerer: TypeAlias = Callable[[JsonObject, Callable[[int], None]], JsonObject]


def make_answerer() -> Answerer:
    """A function from a request (and a place to note the step under way) to its reply."""
    shops = Workshops()

    def answer(request: JsonObject, note_step: Callable[[int], None]) -> JsonObject:
        results: list[Json] = []
        failure: JsonObject | None = None
        started = time.perf_counter()
        try:
            text, steps = request["text"], request["steps"]
            names = request.get("dialects") or list(DEFAULT_DIALECTS)
            assert isinstance(text, str) and isinstance(steps, list) and isinstance(names, list)
            session = Session(shops, text, tuple(str(name) for name in names))
            for index, step in enumerate(steps):
                note_step(index)
                assert isinstance(step, list) and isinstance(step[0], str)
                results.append(session.perform(step[0], step[1:]))
        except StepFailure as failed:
            failure = {"kind": failed.kind, "diagnostics": failed.diagnostics}
        except Exception:
            # Whatever the bindings raise is an answer; only a death is the parent's to notice.
            failure = {"kind": "internal", "diagnostics": [_message(traceback.format_exc())]}
        if failure is not None:
            failure["step"] = len(results)
        # The module dies with the session, before the reply: should its destruction crash, the
        # request is still the first unanswered one.
        session = None
        seconds = time.perf_counter() - started
        job = request.get("job")
        return {"job": job, "results": results, "seconds": seconds, "failure": failure}

    return answer


def hello() -> JsonObject:
    """What this interpreter runs."""
    release: str | None = None
    revision: str | None = None
    try:
        release = importlib.metadata.version("iree-base-compiler")
    except importlib.metadata.PackageNotFoundError:
        pass  # A build directory has no package metadata.
    try:
        from iree.compiler import version

        revision = version.REVISIONS.get("IREE")
    except (ImportError, AttributeError):
        pass  # Nor a version module.
    python = platform.python_version()
    return {"release": release, "revision": revision, "python": python, "pid": os.getpid()}


def serve(answer: Answerer) -> None:
    """Answers requests until the peer closes, then ends the process."""
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        # A compiler that hangs never reads the end of file that a dead parent leaves behind.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    connection = Connection(int(sys.argv[1]))
    if len(sys.argv) > 2:
        progress = mmap.mmap(int(sys.argv[2]), 8)
    else:
        progress = mmap.mmap(-1, 8)

    def note_step(index: int) -> None:
        struct.pack_into("<q", progress, 0, index)

    try:
        connection.send_bytes(json.dumps(hello()).encode())
        gc.freeze()
        while True:
            request = json.loads(connection.recv_bytes())
            reply = answer(request, note_step)
            note_step(IDLE_STEP)
            connection.send_bytes(json.dumps(reply, separators=(",", ":")).encode())
    except (EOFError, OSError):
        # Destructors of the bindings are not worth waiting for, nor trusting.
        os._exit(0)


if __name__ == "__main__":
    serve(make_answerer())
