"""The process that compiles programs to bytecode: `oracle/compiling/worker.py` for the whole way.

Run as ``PYTHON compile_worker.py SOCKET_FD [PROGRESS_FD]`` by `oracle.compiling.compiler`, under
the interpreter of the compiler under test. It imports the standard library, `iree.compiler` and
those few files of this project that do the same. What is spoken is told in
`oracle/compiling/worker.py`; the verbs are other ones, `VERBS`, methods of `Request`, and the first
is ``parse``.

Passes that need a device's target do not run from text: executables are compiled once each, by
IREE's own pipeline, and put in where translation would put them; devices are the runtime's, by
position.
"""

from __future__ import annotations

import base64
import ctypes
import gc
import importlib
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

if __name__ == "__main__":
    # As in `oracle/compiling/worker.py`.
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    importlib.import_module("oracle")
    del sys.path[0]

from oracle.compiling.answers import Json
from oracle.compiling.service import JsonObject, StepError, message
from oracle.running.serving import Perform, serve

try:
    from iree.compiler import ir, passmanager
    from iree.compiler.api import Invocation, Output, Session, Source
    from iree.compiler.api import ctypes_dl as binding
except ImportError as error:
    sys.exit(f"cannot import iree.compiler: {error}")

VERBS = frozenset({"prepare", "parse", "run", "executables", "translate", "binary", "print"})
# Contexts never free what they unique, and pass managers belong to a context.
COMPILE_USES = 1024

VARIANT = "vmvx_bytecode_fb"
_INITIALIZER = """\
module {{
  util.global private @{name} : !hal.device
  util.initializer {{
    %ordinal = arith.constant {ordinal} : index
    %device = hal.devices.get %ordinal : !hal.device
    util.global.store %device, @{name} : !hal.device
    util.return
  }}
}}
"""
# Dispatched once, behind all passes that might make it narrower, with operands nobody knows of.
_PREPARED = """\
module {{
  util.global private @prepared = #hal.device.target<"local", {{ordinal = 0 : index}}, \
[#hal.executable.target<"vmvx", "vmvx-bytecode-fb", {{ukernels = "none"}}>]> : !hal.device
{source}
  util.func public @prepare({arguments}) {{
    %c0 = arith.constant 0 : index
    %made = stream.cmd.execute on(#hal.device.affinity<@prepared>) with({captures}) {{
      stream.cmd.dispatch @{name}::@{entry}{workload}({scalars}) {{
        {bindings}
      }}
    }} => !stream.timepoint
    %ready = stream.timepoint.await %made => %b0 : !stream.resource<external>{{%n0}}
    util.return
  }}
}}
"""


def _diagnostic(item: ir.Diagnostic | ir.DiagnosticInfo) -> JsonObject:
    return {
        "severity": str(item.severity).rpartition(".")[2].lower(),
        "message": item.message,
        "location": {"text": str(item.location)},
        "notes": [_diagnostic(note) for note in item.notes],
    }


class Prepared:
    """Executables by name, as modules: what a program refers to, and what it gets in the end."""

    def __init__(self) -> None:
        self._session = Session()
        self._session.context.enable_multithreading(False)
        self.declared: dict[str, str] = {}
        self.binary: dict[str, str] = {}

    def add(self, name: str, told: dict[str, Any]) -> None:
        """Compiles an executable unless it is there."""
        if name in self.declared:
            return
        with self._session.context:
            module = ir.Module.parse(_prepared_module(name, **told))
            passes = "builtin.module(iree-hal-materialize-interfaces)"
            passmanager.PassManager.parse(passes).run(module.operation)
            compiled = ir.Module.parse(self._compile(str(module.operation)))
            for one in (module, compiled):
                _keep_executable(one, name)
            self.declared[name] = str(module.operation)
            self.binary[name] = str(compiled.operation)

    def _compile(self, text: str) -> str:
        invocation = self._session.invocation()
        library, handle = binding._dylib, invocation._inv_p
        said = _Said(handle)
        library.ireeCompilerInvocationSetCompileFromPhase(handle, b"executable-sources")
        library.ireeCompilerInvocationSetCompileToPhase(handle, b"hal")
        try:
            if not invocation.parse_source(Source.wrap_buffer(self._session, text.encode())):
                raise StepError("internal", said.messages)
            if not invocation.execute():
                raise StepError("internal", said.messages)
            output = Output.open_membuffer()
            invocation.output_ir(output)
            told = bytes(output.map_memory()).decode()
            output.close()
            return told
        finally:
            invocation.close()


_HEARER = ctypes.CFUNCTYPE(
    None, ctypes.c_int, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t, ctypes.c_void_p
)


class _Said:
    """What the compiler says of one invocation."""

    def __init__(self, handle: ctypes.c_void_p) -> None:
        self.messages: list[Json] = []
        messages = self.messages  # `self` holds what hears: garbage in a circle lives long.

        def hear(_: int, text: ctypes._Pointer[ctypes.c_char], size: int, __: object) -> None:
            messages.append(message(ctypes.string_at(text, size).decode(errors="replace")))

        # The invocation calls it for as long as it lives.
        self._hearer = _HEARER(hear)
        binding._dylib.ireeCompilerInvocationEnableCallbackDiagnostics(
            handle, 0, self._hearer, None
        )


def declare_library() -> None:
    """Tells ctypes of what the compiler's library has and the bindings leave out."""
    library, pointer, text = binding._dylib, ctypes.c_void_p, ctypes.c_char_p
    for name, arguments in {
        "EnableCallbackDiagnostics": [pointer, ctypes.c_int, _HEARER, pointer],
        "SetCompileFromPhase": [pointer, text],
        "SetCompileToPhase": [pointer, text],
    }.items():
        function = getattr(library, f"ireeCompilerInvocation{name}")
        function.argtypes, function.restype = arguments, None


def _prepared_module(
    name: str, entry: str, scalars: int, workload: int, access: list[str], packed: str
) -> str:
    resource = "!stream.resource<external>"
    numbers = [f"%s{place}" for place in range(2 * scalars)]
    sizes = [f"%w{place}" for place in range(workload)]
    given = [f"{one}: i32" for one in numbers] + [f"{one}: index" for one in sizes]
    captures, bindings = [], []
    for place, how in enumerate(access):
        given.append(f"%n{place}: index, %b{place}: {resource}")
        captures.append(f"%b{place} as %d{place}: {resource}{{%n{place}}}")
        bindings.append(f"{how} %d{place}[%c0 for %n{place}] : {resource}{{%n{place}}}")
    return _PREPARED.format(
        name=name,
        entry=entry,
        source=packed,
        arguments=", ".join(given),
        captures=", ".join(captures),
        workload=f"[{', '.join(sizes)}]" if sizes else "",
        scalars=f"{', '.join(numbers)} : {', '.join(['i32'] * len(numbers))}" if numbers else "",
        bindings=", ".join(bindings),
    )


def _keep_executable(module: ir.Module, name: str) -> None:
    """Leaves nothing in a module but one executable, without the source of its code."""
    for op in list(module.body.operations):
        one = op.operation
        if one.name != "hal.executable" or ir.StringAttr(one.attributes["sym_name"]).value != name:
            one.erase()
            continue
        for inner in one.regions[0].blocks[0].operations:
            if inner.operation.name == "hal.executable.variant":
                for part in list(inner.operation.regions[0].blocks[0].operations):
                    if part.operation.name == "builtin.module":
                        part.operation.erase()


class Workshop:
    """A context, with the pass managers and pieces of modules that are kept while it lives."""

    def __init__(self) -> None:
        self.session = Session()
        self.context = self.session.context
        self.context.enable_multithreading(False)
        self.uses = 0
        self._sessions: dict[tuple[str, ...], Session] = {}
        self._pass_managers: dict[str, passmanager.PassManager] = {}
        self._pieces: dict[str, ir.Module] = {}

    def pass_manager(self, pipeline: str, verified: bool) -> passmanager.PassManager:
        """The pass manager of a pipeline, made once a context."""
        manager = self._pass_managers.get(pipeline)
        if manager is None:
            try:
                manager = passmanager.PassManager.parse(pipeline)
            except ValueError as error:
                raise StepError("unknown-pass", [message(str(error))]) from None
            manager.enable_verifier(verified)
            self._pass_managers[pipeline] = manager
        return manager

    def piece(self, text: str) -> ir.Module:
        """A module that others take ops from, parsed once a context."""
        found = self._pieces.get(text)
        if found is None:
            found = self._pieces[text] = ir.Module.parse(text)
        return found

    def whole(self, text: str, flags: tuple[str, ...]) -> str:
        """What `iree-compile` makes of a text under these flags: bytecode, in base 64."""
        session = self._sessions.get(flags)
        if session is None:
            session = self._sessions[flags] = Session()
            session.set_flags(*flags)
            session.context.enable_multithreading(False)
        invocation = session.invocation()
        said = _Said(invocation._inv_p)
        try:
            if not invocation.parse_source(Source.wrap_buffer(session, text.encode())):
                raise StepError("parse", said.messages)
            if not invocation.execute():
                raise StepError("pass", said.messages)
            return _bytecode(invocation, said)
        finally:
            invocation.close()

    def failure(self, kind: str, error: ir.MLIRError) -> StepError:
        """The failure of a step."""
        return StepError(kind, [_diagnostic(item) for item in error.error_diagnostics])


def _bytecode(invocation: Invocation, said: _Said) -> str:
    output = Output.open_membuffer()
    try:
        invocation.output_vm_bytecode(output)
    except ValueError as error:
        raise StepError("pass", said.messages or [message(str(error))]) from None
    told = base64.b64encode(output.map_memory()).decode()
    output.close()
    return told


class Request:
    """The steps of one request, on one module."""

    def __init__(self, shop: Workshop, prepared: Prepared, text: str) -> None:
        self._shop = shop
        self._prepared = prepared
        self._text = text
        self._module: ir.Module | None = None

    def perform(self, step: list[Any]) -> Any:
        """The result of one step."""
        verb, *arguments = step
        if verb not in VERBS:
            raise StepError("internal", [message(f"no such step: {verb}")])
        action: Callable[..., Any] = getattr(self, verb)
        with self._shop.context:
            return action(*arguments)

    def _root(self) -> ir.Operation:
        # Asked for anew by every step: a handle from before a pass is a crash after it.
        if self._module is None:
            raise StepError("internal", [message("no module: the first step is not parse")])
        return self._module.operation

    def prepare(self, executables: dict[str, dict[str, Any]]) -> None:
        """Compiles executables, each once for the life of this process."""
        for name, told in executables.items():
            self._prepared.add(name, told)

    def parse(self) -> None:
        """Makes the request's text the current module."""
        try:
            self._module = ir.Module.parse(self._text)
        except ir.MLIRError as error:
            raise self._shop.failure("parse", error) from None

    def run(self, pipeline: str, verified: bool = True) -> None:
        """Runs a pass pipeline over the current module, each pass verified or none."""
        root = self._root()
        manager = self._shop.pass_manager(pipeline, verified)
        try:
            manager.run(root)
        except ir.MLIRError as error:
            raise self._shop.failure("pass", error) from None

    def executables(self) -> None:
        """Puts prepared executables in the place of those in the module."""
        names = {}
        for op in list(self._body()):
            one = op.operation
            if one.name == "stream.executable":
                name = ir.StringAttr(one.attributes["sym_name"]).value
                if name not in self._prepared.declared:
                    raise StepError("internal", [message(f"no such executable: {name}")])
                names[name] = f"@{name}::@{VARIANT}::"
                self._insert(self._prepared.declared[name], one)
                one.erase()
        if names:
            self._rename(self._root(), names)

    def _rename(self, op: ir.Operation, names: dict[str, str]) -> None:
        for region in op.regions:
            for block in region.blocks:
                for child in block.operations:
                    one = child.operation
                    if one.name == "stream.cmd.dispatch":
                        (point,) = ir.ArrayAttr(one.attributes["entry_points"])
                        executable, entry = ir.SymbolRefAttr(point).value
                        told = f"[{names[executable]}@{entry}]"
                        one.attributes["entry_points"] = ir.Attribute.parse(told)
                    elif len(one.regions):
                        self._rename(one, names)

    def translate(self, devices: list[str]) -> None:
        """Puts in the code of executables, and the runtime's devices."""
        for op in list(self._body()):
            one = op.operation
            if one.name == "hal.executable":
                name = ir.StringAttr(one.attributes["sym_name"]).value
                self._insert(self._prepared.binary[name], one)
                one.erase()
            elif one.name == "util.global" and "initial_value" in one.attributes:
                name = ir.StringAttr(one.attributes["sym_name"]).value
                if name in devices:
                    del one.attributes["initial_value"]
                    text = _INITIALIZER.format(name=name, ordinal=devices.index(name))
                    made = list(self._shop.piece(text).body.operations)[1]
                    made.operation.clone(ip=ir.InsertionPoint.after(one))

    def binary(self, flags: list[str] | None = None) -> str:
        """The module's bytecode, in base 64; with flags, what `iree-compile` makes of the text."""
        if flags is not None:
            return self._shop.whole(self._text, tuple(flags))
        invocation = self._shop.session.invocation()
        said = _Said(invocation._inv_p)
        try:
            invocation.import_module(self._root())
            return _bytecode(invocation, said)
        finally:
            invocation.close()

    def print(self) -> str:
        """The current module's text."""
        return str(self._root())

    def _body(self) -> Iterable[ir.OpView]:
        operations: Iterable[ir.OpView] = self._root().regions[0].blocks[0].operations
        return operations

    def _insert(self, text: str, before: ir.Operation) -> None:
        first = next(iter(self._shop.piece(text).body.operations))
        first.operation.clone(ip=ir.InsertionPoint(before))


class Workbench:
    """What outlives a request: prepared executables, and a context until it is worn."""

    def __init__(self) -> None:
        self._prepared = Prepared()
        self._shop = Workshop()

    def begin(self, text: str) -> Perform:
        """What takes the steps of a request."""
        if self._shop.uses >= COMPILE_USES:
            self._shop = Workshop()
            # The bindings make a type of each length of bytecode.
            gc.collect()
        self._shop.uses += 1
        return Request(self._shop, self._prepared, text).perform


if __name__ == "__main__":
    declare_library()
    serve(Workbench().begin, "iree-base-compiler")
