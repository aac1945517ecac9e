"""The compiler process: runs IREE's passes in-process and answers requests on a socket.

Run as ``PYTHON worker.py SOCKET_FD [PROGRESS_FD [FLAG...]]`` by `oracle.compiling.compiler`, under
the interpreter of the compiler under test; FLAGs are the compiler's own, such as
``--iree-stream-partitioning-favor=debug``. Hence it imports the standard library and
`iree.compiler` only, nothing of this project, and runs unchanged under IREE 3.9 to 3.13.
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
``internal`` (an error of the bindings, of a step's spelling, of this file). The verbs are
`VERBS`, methods of `Session`; the first step has to be ``parse``. Attributes are told as
``{"integer": 5, "type": "i32"}``, ``true`` (an i1), ``{"float": 1.5, "type": "f32"}`` (finite),
``"a string"``, ``{"symbol": ["ex", "nested"]}``, ``[an array's items]``, ``{"dictionary": {...}}``,
``{"type": "i32"}``, ``{"unit": true}``, ``{"integers": [1, 2], "type": "i64"}`` (a dense array) and
``{"text": "#hal.device.affinity<@dev_a>"}`` for all else.
"""

import contextlib
import ctypes
import gc
import hashlib
import importlib.metadata
import itertools
import json
import marshal
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

# NumPy comes with the bindings, and a thread for each core with it, which no copy of a process has.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
try:
    from iree.compiler import ir, passmanager
except ImportError as error:
    sys.exit(f"cannot import iree.compiler: {error}")

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
JsonObject: TypeAlias = "dict[str, Json]"
_Key: TypeAlias = "tuple[str, tuple[str, ...]]"
Answerer: TypeAlias = "Callable[[JsonObject, Callable[[int], None]], JsonObject]"

# Most of a pass's time is the rebuilding of every loaded dialect's canonicalization patterns, so as
# few as Stream programs need; the parser loads any other dialect that a text uses.
DEFAULT_DIALECTS = ("builtin", "util", "stream", "hal", "arith", "func", "scf", "cf")
# Contexts never free what they unique (attributes, locations), hence they are replaced.
COMPILE_USES = 2048
ROUNDTRIP_USES = 256
# Checks ask in turns about a batch of programs, most after the same passes.
REMEMBERED_TEXTS = 48
# Steps that leave the module as it is, and all steps.
LOOKS = frozenset({"verify", "print", "digest", "roundtrip", "read", "find"})
VERBS = LOOKS | {"parse", "reparse", "run", "keep"}
IDLE = -1
# Of the requests that make a process warm: then all passes that are asked for have been made.
WARM_AFTER = 64
# Written and read by every Python since 3.4.
MARSHAL_VERSION = 4
# The last whose bytes are the same for equal data.
_COMPARABLE = 2
# Objects made before the collector looks for garbage: a reply is thousands of them, and no cycle.
COLLECTED_AFTER = 100_000
_PR_SET_PDEATHSIG = 1
PROGRESS_BYTES = 16
_ANSWERING = 8
_DENSE_ARRAYS = {
    ir.DenseBoolArrayAttr: "i1",
    ir.DenseI8ArrayAttr: "i8",
    ir.DenseI16ArrayAttr: "i16",
    ir.DenseI32ArrayAttr: "i32",
    ir.DenseI64ArrayAttr: "i64",
}


class StepError(Exception):
    """A step did not succeed: the kind of failure and its diagnostics."""

    def __init__(self, kind: str, diagnostics: list[Json]) -> None:
        super().__init__(kind)
        self.kind = kind
        self.diagnostics = diagnostics


def _message(text: str) -> JsonObject:
    return {"severity": "error", "message": text, "location": None, "notes": []}


def _kind_by_question(location: ir.Location) -> str:
    if location.is_a_name():
        return "NameLoc"
    if location.is_a_file():
        return "FileLineColLoc"
    if location.is_a_fused():
        return "FusedLoc"
    return "CallSiteLoc" if location.is_a_callsite() else "UnknownLoc"


def _kind_by_class(location: ir.Location) -> str:
    return type(location).__name__


# Since 3.12 each kind of location has a class, before there is one class with `is_a_…` questions.
_location_kind = _kind_by_class if hasattr(ir, "NameLoc") else _kind_by_question


def _parts(location: ir.Location) -> list[tuple[bool, str]]:
    """What a location is made of, outermost first: names, and lines of files (with False)."""
    kind = _location_kind(location)
    if kind == "NameLoc":
        return [(True, location.name_str)]
    if kind == "FileLineColLoc":
        return [(False, f"line{location.start_line}")]
    if kind == "FusedLoc":
        return [part for inner in location.locations for part in _parts(inner)]
    return _parts(location.callee) if kind == "CallSiteLoc" else []


def _names(location: ir.Location) -> list[str]:
    """The distinct names in a location; lines stand in for them where there is no name at all."""
    parts = _parts(location)
    named = any(is_name for is_name, _ in parts)
    return list(dict.fromkeys(text for is_name, text in parts if is_name or not named))


def _located(location: ir.Location) -> JsonObject:
    """Where an op is: "location" (a name), "line" and, of fused locations, "locations" (all names).

    An op inlined from elsewhere (a call site) is known by the callee's location.
    """
    kind = _location_kind(location)
    told: JsonObject = {"location": None, "line": None}
    if kind == "NameLoc":
        told["location"] = location.name_str
    elif kind == "FileLineColLoc":
        told["line"] = location.start_line
    elif kind == "CallSiteLoc":
        told = _located(location.callee)
    elif kind == "FusedLoc":
        names = _names(location)
        told["location"] = names[0] if len(names) == 1 else None
        told["locations"] = list(names)
    return told


def _diagnostic(item: "ir.Diagnostic | ir.DiagnosticInfo") -> JsonObject:
    """A diagnostic as plain data: the handles die with the call that reports them."""
    # Diagnostics hold a plain Location in every release; from an attribute it gets its own class.
    place = ir.Location.from_attr(item.location.attr)
    kind = _location_kind(place)
    location: JsonObject = {"text": str(place)}
    if kind == "FileLineColLoc":
        location = {"file": place.filename, "line": place.start_line, "column": place.start_col}
    elif kind == "NameLoc":
        location = {"name": place.name_str}
    return {
        "severity": str(item.severity).rpartition(".")[2].lower(),
        "message": item.message,
        "location": location,
        "notes": [_diagnostic(note) for note in item.notes],
    }


class _Ids(dict[ir.Value, int]):
    """Values numbered in the order they are met."""

    def __missing__(self, value: ir.Value) -> int:
        number = self[value] = len(self)
        return number


class _Types(dict[ir.Type, str]):
    """Types and their texts, printed once a context."""

    def __missing__(self, value: ir.Type) -> str:
        text = self[value] = str(value)
        return text


class _Places(dict[ir.Attribute, JsonObject]):
    """Locations, as attributes, and what is told of them, made once a context."""

    def __missing__(self, value: ir.Attribute) -> JsonObject:
        told = self[value] = _located(ir.Location.from_attr(value, value.context))
        return told


class _Attributes(dict[ir.Attribute, Json]):
    """Attributes and their plain forms, made once a context."""

    def __init__(self, types: _Types) -> None:
        super().__init__()
        self._types = types

    def __missing__(self, value: ir.Attribute) -> Json:
        plain = self[value] = self._plain(value)
        return plain

    def _plain(self, value: ir.Attribute) -> Json:
        plain: Json = {"text": str(value)}
        if isinstance(value, ir.BoolAttr | ir.StringAttr):
            plain = value.value
        elif isinstance(value, ir.IntegerAttr):
            plain = {"integer": value.value, "type": self._types[value.type]}
        elif isinstance(value, ir.FloatAttr) and math.isfinite(value.value):
            plain = {"float": value.value, "type": self._types[value.type]}
        elif isinstance(value, ir.FlatSymbolRefAttr):
            plain = {"symbol": [value.value]}
        elif isinstance(value, ir.SymbolRefAttr):
            plain = {"symbol": list(value.value)}
        elif isinstance(value, ir.ArrayAttr):
            plain = [self[item] for item in value]
        elif isinstance(value, ir.DictAttr):
            # `item.attr` ends the process where the bindings have no class for the attribute.
            plain = {"dictionary": {item.name: self[value[item.name]] for item in value}}
        elif isinstance(value, ir.TypeAttr):
            plain = {"type": self._types[value.value]}
        elif isinstance(value, ir.UnitAttr):
            plain = {"unit": True}
        elif (element := _DENSE_ARRAYS.get(type(value))) is not None:
            plain = {"integers": [int(item) for item in value], "type": element}
        return plain


class Workshop:
    """A context, with the pass managers and the plain forms that are kept while it lives."""

    def __init__(self, dialects: Sequence[str]) -> None:
        self.context = ir.Context(load_on_create_dialects=list(dialects))
        self.context.enable_multithreading(False)
        self.uses = 0
        self.heard: list[Json] = []
        self._pass_managers: dict[str, passmanager.PassManager] = {}
        self._types = _Types()
        self._attributes = _Attributes(self._types)
        self._places = _Places()
        heard = self.heard

        def hear(diagnostic: ir.Diagnostic) -> bool:
            heard.append(_diagnostic(diagnostic))
            return True

        self._handler = self.context.attach_diagnostic_handler(hear)

    def close(self) -> None:
        """Lets the context go: an attached handler would keep it alive."""
        self._handler.detach()

    def failure(self, kind: str, error: ir.MLIRError) -> StepError:
        """The failure of a step: errors come with the exception, all else through the handler."""
        # IREE 3.10 and older hand all of them to the handler.
        told = getattr(error, "error_diagnostics", ())
        errors: list[Json] = [_diagnostic(item) for item in told]
        return StepError(kind, [*errors, *(item for item in self.heard if item not in errors)])

    def parse(self, text: str) -> ir.Module:
        """The module that a text denotes, or a `StepError` of kind "parse"."""
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
                raise StepError("unknown-pass", [_message(str(error))]) from None
            manager.enable_verifier(True)
            self._pass_managers[pipeline] = manager
        return manager

    def describe(self, op: ir.Operation) -> JsonObject:
        """An op's name, location and attributes, properties included."""
        plain, attributes = self._attributes, op.attributes
        entry: JsonObject = {"name": op.name, **self._places[op.location.attr]}
        try:
            # To ask for the items of none costs as much as for those of some.
            items = attributes.items() if len(attributes) else ()
            entry["attributes"] = {name: plain[value] for name, value in items}
        except TypeError:
            entry["attributes"] = self._one_by_one(attributes)
        return entry

    def _one_by_one(self, attributes: ir.OpAttributeMap) -> JsonObject:
        """Attributes some of which the bindings cannot hand out, having no class for them (dense
        ones of complex numbers): those are told as they are printed together with their names."""
        told: JsonObject = {}
        for place, name in enumerate(attributes):
            try:
                told[name] = self._attributes[attributes[name]]
            except TypeError:
                printed = repr(attributes[place]).removeprefix(f"NamedAttribute({name}=")
                told[name] = {"text": printed.removesuffix(")")}
        return told

    def read(self, op: ir.Operation, ids: _Ids) -> JsonObject:
        """An op with all that it contains; its successors are its block's to tell."""
        types = self._types
        entry = self.describe(op)
        entry["operands"] = [ids[value] for value in op.operands]
        entry["results"] = [[ids[value], types[value.type]] for value in op.results]
        regions: list[Json] = []
        for region in op.regions if len(op.regions) else ():
            blocks = list(region.blocks)
            branches = len(blocks) > 1
            read_blocks: list[Json] = []
            for block in blocks:
                arguments: list[Json] = [[ids[v], types[v.type]] for v in block.arguments]
                inner: list[Json] = []
                for child in block.operations:
                    child_op = child.operation
                    told = self.read(child_op, ids)
                    if branches:
                        targets = child_op.successors
                        told["successors"] = [blocks.index(target) for target in targets]
                    inner.append(told)
                read_blocks.append({"arguments": arguments, "operations": inner})
            regions.append(read_blocks)
        entry["regions"] = regions
        entry["successors"] = []
        return entry

    def find(
        self, op: ir.Operation, names: frozenset[str], around: list[Json], found: list[Json]
    ) -> None:
        """Appends to `found` the ops of these names in `op`, which lies within `around`."""
        types = self._types
        within: list[Json] | None = None
        for region in op.regions:
            for block in region.blocks:
                for child in block.operations:
                    child_op = child.operation
                    wanted = child_op.name in names
                    if within is None and (wanted or len(child_op.regions)):
                        within = [self.describe(op), *around]
                    if wanted:
                        entry = self.describe(child_op)
                        entry["operand_types"] = [types[v.type] for v in child_op.operands]
                        entry["result_types"] = [types[v.type] for v in child_op.results]
                        entry["within"] = within
                        found.append(entry)
                    if within is not None and len(child_op.regions):
                        self.find(child_op, names, within, found)


class Workshops:
    """The contexts of this process, one a purpose and set of dialects, replaced when worn."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, tuple[str, ...]], Workshop] = {}

    def take(self, purpose: str, dialects: tuple[str, ...], text: str, limit: int) -> Workshop:
        """A context to parse `text` in, `limit` being the uses after which it is replaced."""
        shop = self._kept.get((purpose, dialects))
        if shop is None or shop.uses >= limit:
            if shop is not None:
                shop.close()
            shop = self._kept[purpose, dialects] = Workshop(dialects)
        if "dense_resource" in text:
            # A resource's name is taken for as long as the context lives: the next module that
            # says `dense_resource<x>` would be given `x_1`.
            shop.uses = limit
        return shop


class Memory:
    """Texts of modules at the `reparse` steps of late requests, by the steps that led there."""

    def __init__(self) -> None:
        self._kept: dict[_Key, dict[bytes, str]] = {}

    def keep(self, key: _Key, steps: Sequence[Json], text: str) -> None:
        """Remembers the module's `text` after the last of `steps`."""
        if key not in self._kept and len(self._kept) >= REMEMBERED_TEXTS:
            del self._kept[next(iter(self._kept))]
        self._kept.setdefault(key, {})[_changing(steps)] = text

    def find(self, key: _Key, steps: Sequence[Json]) -> tuple[int, str] | None:
        """The most steps of these that lead to a remembered text: their number, and the text."""
        known = self._kept.get(key)
        if known is None:
            return None
        for count in range(len(steps), 0, -1):
            if steps[count - 1] == ["reparse"]:
                text = known.get(_changing(steps[:count]))
                if text is not None:
                    return count, text
        return None


def _changing(steps: Sequence[Json]) -> bytes:
    """The steps that may leave another module than they find, as a key."""
    left = [step for step in steps if isinstance(step, list) and step[0] not in LOOKS]
    return marshal.dumps(left, _COMPARABLE)


class Session:
    """The steps of one request. `text` is what was parsed last."""

    def __init__(self, shops: Workshops, text: str, dialects: tuple[str, ...]) -> None:
        self._shops = shops
        self.text = text
        self._dialects = dialects
        self._shop = shops.take("compile", dialects, text, COMPILE_USES)
        self._module: ir.Module | None = None
        self._sound_text: str | None = None

    def perform(self, verb: str, arguments: Sequence[Json]) -> Json:
        """The result of one step."""
        if verb not in VERBS:
            raise StepError("internal", [_message(f"no such step: {verb}")])
        action: Callable[..., Json] = getattr(self, verb)
        self._shop.heard.clear()
        with self._shop.context:
            return action(*arguments)

    def _root(self) -> ir.Operation:
        # Asked for anew by every step: a handle from before a pass is a crash after it.
        if self._module is None:
            raise StepError("internal", [_message("no module: the first step is not parse")])
        return self._module.operation

    def parse(self) -> None:
        """Makes the request's text the current module."""
        self._module = self._shop.parse(self.text)

    def reparse(self) -> None:
        """Makes the current module's own text, with locations, the current module."""
        # Without aliases: to look for attributes that need some is a third of the work.
        self.text = str(self._root().get_asm(enable_debug_info=True, use_local_scope=True))
        self.parse()

    def resume(self, text: str) -> None:
        """Begins with another text than the request's."""
        self.text = text
        with self._shop.context:
            self.parse()

    def run(self, pipeline: str) -> None:
        """Runs a pass pipeline, with the verifier on, over the current module."""
        root = self._root()
        manager = self._shop.pass_manager(pipeline)
        try:
            manager.run(root)
        except ir.MLIRError as error:
            raise self._shop.failure("pass", error) from None

    def verify(self) -> None:
        """Verifies the current module."""
        try:
            self._root().verify()
        except ir.MLIRError as error:
            raise self._shop.failure("verify", error) from None

    def print(self, with_locations: bool) -> str:
        """The current module's text."""
        return str(self._root().get_asm(enable_debug_info=with_locations))

    def digest(self) -> str:
        """The SHA-256, in hexadecimal, of the current module's text with locations."""
        return hashlib.sha256(self.print(True).encode()).hexdigest()

    def roundtrip(self) -> Json:
        """Prints, parses in another context and prints again: null if both texts are equal.

        A text that came back as it was earlier in the same request is not tried again.
        """
        before = self.print(True)
        if before == self._sound_text:
            return None
        other = self._shops.take("roundtrip", self._dialects, before, ROUNDTRIP_USES)
        other.heard.clear()
        with other.context:
            try:
                again = other.parse(before)
            except StepError as refused:
                return {"before": before, "diagnostics": refused.diagnostics}
            after = str(again.operation.get_asm(enable_debug_info=True))
        if before != after:
            return {"before": before, "after": after}
        self._sound_text = before
        return None

    def read(self) -> Json:
        """The current module as nested data; values are numbered in the order they are met."""
        return self._shop.read(self._root(), _Ids())

    def keep(self, positions: list[int]) -> None:
        """Erases the module's ops but those at these positions."""
        wanted = frozenset(positions)
        for position, op in enumerate(list(self._root().regions[0].blocks[0].operations)):
            if position not in wanted:
                op.operation.erase()

    def find(self, names: list[str]) -> Json:
        """The ops of these names, each with the ops it lies within, innermost first."""
        found: list[Json] = []
        self._shop.find(self._root(), frozenset(names), [], found)
        return found


def _results(
    shops: Workshops,
    memory: Memory,
    request: JsonObject,
    note_step: Callable[[int], None],
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
        raise StepError("internal", [_message("a request needs a text and a list of steps")])
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
                raise StepError("internal", [_message(f"not a step: {step}")])
        # To ask for the time takes some: the end of a step is the beginning of the next.
        started, ended = ended, time.process_time()
        times.append(ended - started)
        if step == ["reparse"]:
            memory.keep(key, steps[: index + 1], session.text)


def make_answerer() -> Answerer:
    """A function from a request, and a place to note the step under way, to the reply."""
    shops, memory = Workshops(), Memory()

    def answer(request: JsonObject, note_step: Callable[[int], None]) -> JsonObject:
        results: list[Json] = []
        times: list[float] = []
        failure: JsonObject | None = None
        started = time.perf_counter()
        try:
            _results(shops, memory, request, note_step, results, times)
        except StepError as failed:
            failure = {"kind": failed.kind, "diagnostics": failed.diagnostics}
        except RecursionError:
            told = _message("the module is nested too deeply to be read")
            failure = {"kind": "parse", "diagnostics": [told]}
        except Exception:
            # Whatever the bindings raise is an answer; only a death is the parent's to notice.
            failure = {"kind": "internal", "diagnostics": [_message(traceback.format_exc())]}
        if failure is not None:
            failure["step"] = len(results)
        seconds = time.perf_counter() - started
        job = request.get("job")
        return {
            "job": job,
            "results": results,
            "seconds": seconds,
            "times": list(times),
            "failure": failure,
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
        used = os.path.dirname(os.path.realpath(sys.modules["iree.compiler.ir"].__file__ or ""))
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


def die_with_parent() -> None:
    """A compiler that hangs never reads the end of file that a dead parent leaves behind."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


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
            struct.pack_into("<q", progress, _ANSWERING, os.getpid())
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
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    connection = Connection(int(sys.argv[1]))
    progress = mmap.mmap(int(sys.argv[2]) if len(sys.argv) > 2 else -1, PROGRESS_BYTES)

    def note_step(index: int) -> None:
        struct.pack_into("<q", progress, 0, index)

    with contextlib.suppress(EOFError, OSError):
        connection.send_bytes(json.dumps(hello()).encode())
        gc.freeze()
        gc.set_threshold(COLLECTED_AFTER)
        for number in itertools.count(1):
            reply = answer(json.loads(connection.recv_bytes()), note_step)
            note_step(IDLE)
            connection.send_bytes(marshal.dumps(reply, MARSHAL_VERSION))
            if number == WARM_AFTER:
                stay_behind(connection, progress)
    # Destructors of the bindings are not worth waiting for, nor to be trusted.
    os._exit(0)


if __name__ == "__main__":
    if len(sys.argv) > 3:
        set_flags(sys.argv[3:])
    serve(make_answerer())
