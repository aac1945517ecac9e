"""Programs made ready to run: each dispatch names a kernel that there is.

The kernels are those of `oracle/running/kernels.py`. They take 64-bit scalars, so what a dispatch
takes is widened on the host; which kernel a dispatch named is one of the scalars, and so are the
lengths of the bindings. A load of an `index`, which ends IREE's VM conversion (`hal.buffer.load`
has no such type there), becomes one of an i64. Resources that a public function returns are handed
over as buffer views, which IREE's own tools print. What says nowhere to run gets the first device,
as from compiler/src/iree/compiler/Dialect/HAL/Transforms/MaterializeTargetDevices.cpp. Nothing else
of the program changes.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from oracle.running.kernels import (
    BUILTINS,
    Executable,
    builtin_executable,
    executable,
    kernel_symbol,
    letters_of,
)
from reference.affinity import Affinity
from reference.ir import (
    Block,
    Function,
    Operation,
    Program,
    Region,
    UnsupportedOperationError,
)
from reference.ops import (
    Binding,
    Call,
    Dispatch,
    Export,
    Fill,
    HostScalar,
    Load,
    Return,
    Splat,
    Store,
)
from reference.tensor.boundary import with_views
from reference.text import print_program
from reference.types import (
    BUFFER_VIEW,
    F32,
    F64,
    I32,
    I64,
    INDEX,
    RESOURCES,
    Index,
    Lifetime,
    Literal,
    Scalar,
    Type,
    Value,
)
from reference.values.kernels import Interfaces, kernel_name
from reference.values.numbers import bits_of

_DEVICE = re.compile(r"#hal\.device\.affinity<@([\w.$-]+)")
_DECLARED = (
    '  util.global private @{name} = #hal.device.target<"local", {{ordinal = {ordinal} : index}},'
    ' [#hal.executable.target<"vmvx", "vmvx-bytecode-fb", {{ukernels = "none"}}>]> : !hal.device\n'
)
_HANDED_OVER = (RESOURCES[Lifetime.EXTERNAL],)
_FLOAT_BITS = {F32: I32, F64: I64}
_NUMBERS = 2
"""Kernels take this many numbers of a dispatch, or a multiple: few kernels serve for all."""


@dataclass(frozen=True)
class Armed:
    """A program whose kernels all exist, the executables it needs, and the devices it runs on, in
    the order in which the runtime is given them."""

    program: Program
    executables: tuple[Executable, ...]
    devices: tuple[str, ...]

    @property
    def calls(self) -> bool:
        """Whether the program calls functions of its own."""
        return any(isinstance(operation, Call) for operation in self.program.operations())

    @cached_property
    def fast_text(self) -> str:
        """The module with stubs of its executables."""
        return self._text(one.stub for one in self.executables if one.name not in BUILTINS)

    @cached_property
    def whole_text(self) -> str:
        """The module as a person compiles it."""
        return self._text(one.source for one in self.executables if one.name not in BUILTINS)

    @cached_property
    def _parts(self) -> tuple[str, str, str]:
        """The program's text without its devices: up to where the module begins, and the rest."""
        text = print_program(self.program)
        for device in self.devices:
            text = text.replace(f"  util.global private @{device} : !hal.device\n", "")
        return text.partition(" {\n")

    def _text(self, executables: Iterable[str]) -> str:
        head, brace, rest = self._parts
        devices = (
            _DECLARED.format(name=name, ordinal=ordinal)
            for ordinal, name in enumerate(self.devices)
        )
        return "".join((head, brace, *devices, *executables, rest))


def arm(program: Program) -> Armed:
    """The same program with kernels to run. Raises UnsupportedOperationError."""
    if program.tensors:
        # On tensors a program shares nothing else with its caller.
        program = with_views(program)
    armoury = _Armoury(program)
    devices = program.devices or tuple(sorted(set(_DEVICE.findall(print_program(program)))))
    default = program.default_affinity
    if default is None and devices:
        default = Affinity(devices[0])
    armed = replace(
        program,
        default_affinity=default,
        functions=tuple(map(armoury.function, program.functions)),
        initializers=tuple(
            replace(one, body=armoury.region(one.body)) for one in program.initializers
        ),
    )
    executables = [executable(kernel) for kernel in sorted(armoury.kernels)]
    executables += [builtin_executable(name) for name in sorted(armoury.builtins)]
    return Armed(armed, tuple(executables), devices)


def _eight_bytes(operation: Operation, tensors: bool) -> bool:
    """Whether it repeats a pattern of eight bytes on the device, as on tensors a store does too.

    From compiler/src/iree/compiler/Dialect/Stream/Conversion/FlowToStream/Patterns.cpp, where
    what is stored in a tensor is filled in.
    """
    if isinstance(operation, Fill | Splat):
        return operation.pattern.type == I64
    return tensors and isinstance(operation, Store) and operation.scalar.type == I64


@dataclass(slots=True)
class _Armoury:
    """Puts kernels into one program."""

    program: Program
    kernels: set[str] = field(default_factory=set)
    builtins: set[str] = field(default_factory=set)
    _interfaces: Interfaces = field(init=False)
    _taken: set[str] = field(default_factory=set)
    _made: int = 0
    _handed_over: bool = False

    def __post_init__(self) -> None:
        self._interfaces = Interfaces(self.program)
        for operation in self.program.operations():
            if _eight_bytes(operation, self.program.tensors):
                # One of them may become the other.
                self.builtins.update(BUILTINS)
            self._taken.update(value.name for value in (*operation.operands, *operation.results))
            for region in operation.regions:
                for block in region.blocks:
                    self._taken.update(value.name for value in block.arguments)

    def function(self, function: Function) -> Function:
        """The function with other dispatches; a public one returns no resources."""
        self._handed_over = function.public and not function.ties
        body = self.region(function.body)
        if not self._handed_over:
            return replace(function, body=body)
        types = tuple(BUFFER_VIEW if one in _HANDED_OVER else one for one in function.result_types)
        return replace(function, body=body, result_types=types)

    def region(self, region: Region) -> Region:
        """The region with other dispatches."""
        return Region(
            tuple(
                Block(
                    tuple(made for one in block.operations for made in self._operations(one)),
                    block.arguments,
                )
                for block in region.blocks
            )
        )

    def _operations(self, operation: Operation) -> Iterator[Operation]:
        if isinstance(operation, Dispatch):
            yield from self._dispatch(operation)
        elif isinstance(operation, Load) and operation.result.type == INDEX:
            loaded = Value(self._name(), I64)
            yield replace(operation, result=loaded)
            yield HostScalar(
                identity=f"{operation.identity}.{loaded.name}",
                name="arith.index_castui",
                arguments=(loaded,),
                outputs=(operation.result,),
            )
        elif isinstance(operation, Return) and self._handed_over:
            values: list[Scalar] = []
            for item in operation.values:
                values.append((yield from self._view(operation, item)))
            yield replace(operation, values=tuple(values))
        elif operation.regions:
            yield operation.with_regions(tuple(map(self.region, operation.regions)))
        else:
            yield operation

    def _view(self, at: Return, item: Scalar) -> Generator[Operation, None, Scalar]:
        """What is returned, a resource as a view of its bytes."""
        if not isinstance(item, Value) or item.type not in _HANDED_OVER:
            return item
        if item.size is None:
            raise UnsupportedOperationError(f"%{item.name} of unknown size, to be returned")
        view = Value(self._name(), BUFFER_VIEW)
        static = isinstance(item.size, int)
        yield Export(
            identity=f"{at.identity}.{view.name}",
            source=item,
            encoding=f"tensor<{item.size}xi8>" if static else "tensor<?xi8>",
            dimensions=() if static else (item.size,),
            result=view,
            affinity=None,
        )
        return view

    def _dispatch(self, dispatch: Dispatch) -> Iterator[Operation]:
        if letters_of(dispatch.kernel) is not None:
            self.kernels.add(dispatch.kernel)
            yield dispatch
            return
        name = kernel_name(dispatch)
        bindings = dispatch.bindings
        fresh = [
            output
            for output, tie in zip(dispatch.outputs, dispatch.ties, strict=True)
            if tie is None
        ]
        if not bindings and not fresh:
            raise UnsupportedOperationError("a dispatch without any resource, to be run")
        letters = self._letters(dispatch, len(fresh))
        numbers: list[Scalar] = []
        for argument in dispatch.arguments:
            if not isinstance(argument, Binding):
                numbers.append((yield from self._wide(dispatch, argument)))
        missing = _NUMBERS - len(numbers) if len(numbers) < _NUMBERS else -len(numbers) % _NUMBERS
        numbers += [Literal(0, I64)] * missing
        lengths: list[Index | None] = [binding.span.length for binding in bindings]
        lengths += [output.size for output in fresh]
        for length in lengths:
            if length is None:
                raise UnsupportedOperationError("a dispatch of unknown length, to be run")
            item = Literal(length, INDEX) if isinstance(length, int) else length
            numbers.append((yield from self._wide(dispatch, item)))
        salt = Literal(zlib.crc32(name.encode()), I64)
        scalars = (salt, *numbers)
        kernel = kernel_symbol(letters, len(scalars))
        self.kernels.add(kernel)
        places = {
            place: len(scalars) + position
            for position, place in enumerate(
                place
                for place, argument in enumerate(dispatch.arguments)
                if isinstance(argument, Binding)
            )
        }
        yield replace(
            dispatch,
            kernel=kernel,
            other_kernels=(),
            workload=(),
            arguments=(*scalars, *bindings),
            ties=tuple(None if tie is None else places[tie] for tie in dispatch.ties),
        )

    def _letters(self, dispatch: Dispatch, fresh: int) -> str:
        blind = self._interfaces.blind(kernel_name(dispatch), len(dispatch.bindings) + fresh)
        letters = ""
        for place, argument in enumerate(dispatch.arguments):
            if isinstance(argument, Binding):
                tied = place in dispatch.ties
                letters += "o" if tied and len(letters) in blind else "w" if tied else "r"
        return letters + "o" * fresh

    def _wide(self, dispatch: Dispatch, number: Scalar) -> Generator[Operation, None, Scalar]:
        """A number's bits as an i64."""
        if isinstance(number, Literal):
            bits = bits_of(number)
            return Literal(bits - (1 << 64) if bits >> 63 else bits, I64)
        if number.type == I64:
            return number
        if number.type in _FLOAT_BITS:
            number = yield from self._cast(dispatch, "bitcast", number, _FLOAT_BITS[number.type])
            if number.type == I64:
                return number
        way = "index_castui" if number.type == INDEX else "extui"
        return (yield from self._cast(dispatch, way, number, I64))

    def _cast(
        self, dispatch: Dispatch, way: str, number: Value, kind: Type
    ) -> Generator[Operation, None, Value]:
        name = self._name()
        result = Value(name, kind)
        yield HostScalar(
            identity=f"{dispatch.identity}.{name}",
            name=f"arith.{way}",
            arguments=(number,),
            outputs=(result,),
        )
        return result

    def _name(self) -> str:
        while True:
            name = f"wide{self._made}"
            self._made += 1
            if name not in self._taken:
                return name
