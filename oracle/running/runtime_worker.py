"""The runtime process: runs bytecode on several devices and tells what it returns.

Run as ``PYTHON runtime_worker.py SOCKET_FD PROGRESS_FD`` by `oracle.compiling.compiler`, under the
interpreter of the release under test. It imports the standard library, NumPy (which `iree.runtime`
needs), `iree.runtime`, and those few files of this project that need no more. A request's text is
the bytecode in base 64; the only verb is::

    ["execute", [driver...], [[function, [argument...]]...]] -> [[result...]...], one a function

in a context of its own. Arguments are integers (``{"i64": 5}``), floats by their bits
(``{"f32": bits}``), buffers (``{"buffer": base 64}``), buffer views (``{"view": base 64}``, of
bytes) and fences: reached (``{"fence": 1}``) or for the program to reach (``{"fence": 0}``).
Results are ``{"i64": 5}``, ``{"real": 1.5}``, ``{"bytes": base 64}`` and ``{"fence": 1}``. They are
looked at when all fences are reached, and are ``{}`` where there is nothing, such as a fence that
nobody need wait for.

Devices are made once: a fresh one is never given back whole, and whatever lives longer than its
device ends the process.
"""

from __future__ import annotations

import base64
import importlib
import mmap
import os
import struct
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

if __name__ == "__main__":
    # As in `oracle/compiling/worker.py`.
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    importlib.import_module("oracle")
    del sys.path[0]

from oracle.compiling.service import StepError, message
from oracle.running.serving import Perform, serve

try:
    import numpy
    from iree import runtime
except ImportError as error:
    sys.exit(f"cannot import iree.runtime: {error}")

_MEMORY = int(runtime.MemoryType.DEVICE_LOCAL) | int(runtime.MemoryType.HOST_VISIBLE)
_USAGE = int(runtime.BufferUsage.DEFAULT) | int(runtime.BufferUsage.MAPPING)
_MOST_RESULTS = 8
_FLOATS = {"f32": ("<I", "<f"), "f64": ("<Q", "<d")}

Json = dict[str, Any]


class Machine:
    """The devices of this process, and the runtime's module for each group of them."""

    def __init__(self) -> None:
        self._instance = runtime.VmInstance()
        self._devices: dict[tuple[str, int], runtime.HalDevice] = {}
        self._modules: dict[tuple[str, ...], runtime.VmModule] = {}

    def begin(self, text: str) -> Perform:
        """What runs the bytecode of a request."""
        bytecode = base64.b64decode(text)
        # As a file that is mapped, whose constants the runtime uses where they are.
        memory = mmap.mmap(-1, len(bytecode))
        memory.write(bytecode)
        module = _checked(partial(runtime.VmModule.wrap_buffer, self._instance, memory))

        def perform(step: list[Any]) -> list[list[Json]]:
            verb, drivers, calls = step
            if verb != "execute":
                raise StepError("internal", [message(f"no such step: {verb}")])
            return self._execute(module, tuple(drivers), calls)

        return perform

    def _execute(
        self, module: runtime.VmModule, drivers: tuple[str, ...], calls: list[Any]
    ) -> list[list[Json]]:
        hal = self._module(drivers)
        device = self._device(drivers[0], 0)
        told: list[list[Json]] = []
        context = _checked(partial(runtime.VmContext, self._instance, modules=[hal, module]))
        for name, arguments in calls:
            function = _checked(partial(module.lookup_function, name))
            given = runtime.VmVariantList(len(arguments))
            fences = [_push(given, argument, device) for argument in arguments]
            results = runtime.VmVariantList(_MOST_RESULTS)
            _checked(partial(context.invoke, function, given, results))
            found = [results.get_variant(place) for place in range(len(results))]
            fences += map(_fence, found)
            for fence in filter(None, fences):
                _checked(fence.wait)
            told.append([_told(one) for one in found])
        return told

    def _device(self, driver: str, position: int) -> runtime.HalDevice:
        key = driver, position
        if key not in self._devices:
            self._devices[key] = runtime.get_driver(driver).create_default_device()
        return self._devices[key]

    def _module(self, drivers: tuple[str, ...]) -> runtime.VmModule:
        if drivers not in self._modules:
            devices = [self._device(driver, place) for place, driver in enumerate(drivers)]
            self._modules[drivers] = runtime.create_hal_module(self._instance, devices=devices)
        return self._modules[drivers]


def _checked(run: Callable[[], Any]) -> Any:
    """What the runtime gives; what it refuses is the program's failure, not ours."""
    try:
        return run()
    except (RuntimeError, ValueError, IndexError, KeyError, NotImplementedError) as error:
        raise StepError("run", [message(str(error))]) from None


def _push(
    given: runtime.VmVariantList, argument: Json, device: runtime.HalDevice
) -> runtime.HalFence | None:
    """Adds an argument; the fence that it is, None for all others."""
    ((kind, value),) = argument.items()
    if kind == "fence":
        fence = runtime.HalFence.create_at(device.create_semaphore(value), 1)
        given.push_ref(fence)
        return fence
    if kind == "i64":
        given.push_int(value)
    elif kind in _FLOATS:
        wide, real = _FLOATS[kind]
        given.push_float(*struct.unpack(real, struct.pack(wide, value)))
    else:
        data = numpy.frombuffer(base64.b64decode(value), dtype=numpy.uint8)
        buffer = device.allocator.allocate_buffer_copy(
            memory_type=_MEMORY, allowed_usage=_USAGE, device=device, buffer=data
        )
        if kind == "view":
            element = runtime.HalElementType.INT_8
            given.push_ref(runtime.HalBufferView(buffer, [len(data)], element))
        else:
            given.push_ref(buffer)
    return None


def _fence(found: Any) -> runtime.HalFence | None:
    """The fence that a result is; None for all others."""
    if found is None or isinstance(found, (int, float)):
        return None
    return found.deref(runtime.HalFence, True)


def _told(found: Any) -> Json:
    if isinstance(found, int):
        return {"i64": found}
    if isinstance(found, float):
        return {"real": found}
    if found is None:
        return {}
    if _fence(found) is not None:
        return {"fence": 1}
    view = found.deref(runtime.HalBufferView, True)
    buffer = found.deref(runtime.HalBuffer) if view is None else view.get_buffer()
    size = buffer.byte_length() if view is None else view.byte_length
    data = b""
    if size:
        # A buffer whose allocation nobody waited for has no memory to look at. What there is is
        # copied at once: what is mapped must not outlive the buffer.
        mapped = _checked(buffer.map)
        data = mapped.asarray([size], numpy.dtype(numpy.uint8)).tobytes()
        del mapped
    return {"bytes": base64.b64encode(data).decode()}


if __name__ == "__main__":
    serve(Machine().begin, "iree-base-runtime")
