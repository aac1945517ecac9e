"""`stream.async.dispatch`: a kernel run over parts of resources, in place where tied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation, UnsupportedOperationError
from reference.ops.assembly import (
    Range,
    affinity_of,
    device_lifetime_problem,
    index,
    on,
    range_problem,
    ref,
    resource,
    same_size_problem,
    scalar,
    sized,
)
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True)
class Binding:
    """A resource operand of a dispatch and the bytes of it that the kernel sees."""

    value: Value
    span: Range


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch(Operation):
    """`kernel` (`ex::d` for `@ex::@d`) over `arguments`, `workload` elements.

    `ties[i]` is the position in `arguments` of the binding that result i is written into, None
    for a result with storage of its own. A tied result may have another lifetime than its operand.
    """

    kernel: str
    workload: tuple[Index, ...]
    arguments: tuple[Binding | Scalar, ...]
    outputs: tuple[Value, ...]
    ties: tuple[int | None, ...]
    affinity: Affinity | None

    mnemonic = "stream.async.dispatch"
    streamable = True
    takes_affinity = True

    @property
    def bindings(self) -> tuple[Binding, ...]:
        """The arguments that are resources."""
        return tuple(argument for argument in self.arguments if isinstance(argument, Binding))

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        values: list[Index | Scalar | None] = [*self.workload]
        values += [item.value if isinstance(item, Binding) else item for item in self.arguments]
        values += [binding.value.size for binding in self.bindings]
        for bound in ("start", "end", "length"):
            values += [getattr(binding.span, bound) for binding in self.bindings]
        values += [output.size for output in self.outputs]
        return (*values,)

    @property
    def results(self) -> tuple[Value, ...]:
        return self.outputs

    @property
    def tied(self) -> tuple[tuple[Value, Value], ...]:
        return tuple(
            (output, self._tied_value(tie))
            for output, tie in zip(self.outputs, self.ties, strict=True)
            if tie is not None
        )

    @property
    def execution_affinity(self) -> Affinity | None:
        return self.affinity

    @property
    def prefers_clone_to_consumers(self) -> bool:
        """A dispatch that reads no resource is a slow splat (StreamOps.cpp)."""
        return not self.bindings

    def problems(self) -> Iterator[str]:
        for binding in self.bindings:
            yield from device_lifetime_problem("operand", binding.value)
            yield from range_problem(f"%{binding.value.name}", binding.span, binding.value.size)
        for output in self.outputs:
            yield from device_lifetime_problem("result", output)
        positions = [tie for tie in self.ties if tie is not None]
        if len(set(positions)) != len(positions):
            yield "two results are tied to one operand"
        used = [binding.value for binding in self.bindings]
        for output, target in self.tied:
            yield from same_size_problem(output, target)
            if used.count(target) > 1:
                yield f"%{target.name} is written in place and read as another operand"

    def assembly(self) -> str:
        results = _result_names(self.outputs)
        workload = f"[{', '.join(map(ref, self.workload))}]" if self.workload else ""
        arguments = ", ".join(map(_argument, self.arguments))
        types = ", ".join(
            sized(item.value) if isinstance(item, Binding) else str(item.type)
            for item in self.arguments
        )
        outputs = ", ".join(
            sized(output) if tie is None else self._tied_output(output, self._tied_value(tie))
            for output, tie in zip(self.outputs, self.ties, strict=True)
        )
        if len(self.outputs) != 1:
            outputs = f"({outputs})"
        symbol = "::".join(f"@{part}" for part in self.kernel.split("::"))
        return (
            f"{results}{self.mnemonic} {on(self.affinity)}{symbol}{workload}({arguments}) : "
            f"({types}) -> {outputs}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Dispatch:
        entry_points = generic.attributes["entry_points"]
        segments = generic.attributes["operandSegmentSizes"]
        ties = generic.attributes.get("tied_operands") or (-1,) * len(generic.results)
        if not isinstance(entry_points, tuple) or len(entry_points) != 1:
            raise UnsupportedOperationError(f"{cls.mnemonic} with several entry points")
        if not isinstance(segments, tuple) or not isinstance(ties, tuple):
            raise UnsupportedOperationError(f"{cls.mnemonic} without operand segments")
        groups = _split(generic.operands, [int(str(segment)) for segment in segments])
        workload, mixed, sizes, starts, ends, lengths, result_sizes = groups
        spans = iter(zip(sizes, starts, ends, lengths, strict=True))
        arguments: list[Binding | Scalar] = []
        for item in mixed:
            if isinstance(item, Value) and item.is_resource:
                size, start, end, length = next(spans)
                span = Range(index(start), index(end), index(length))
                arguments.append(Binding(resource(item, size), span))
            else:
                arguments.append(scalar(item))
        return cls(
            identity=generic.identity,
            kernel="::".join(part.lstrip("@") for part in str(entry_points[0]).split("::")),
            workload=tuple(map(index, workload)),
            arguments=tuple(arguments),
            outputs=tuple(
                Value(result.name, result.type, index(size))
                for result, size in zip(generic.results, result_sizes, strict=True)
            ),
            ties=tuple(None if tie == -1 else int(str(tie)) for tie in ties),
            affinity=affinity_of(generic.attributes.get("affinity")),
        )

    def _tied_value(self, position: int) -> Value:
        argument = self.arguments[position]
        assert isinstance(argument, Binding)
        return argument.value

    @staticmethod
    def _tied_output(output: Value, target: Value) -> str:
        if output.type == target.type:
            assert output.size is not None
            return f"%{target.name}{{{ref(output.size)}}}"
        return f"%{target.name} as {sized(output)}"


def _argument(item: Binding | Scalar) -> str:
    if not isinstance(item, Binding):
        return ref(item)
    span = item.span
    return f"%{item.value.name}[{ref(span.start)} to {ref(span.end)} for {ref(span.length)}]"


def _result_names(outputs: tuple[Value, ...]) -> str:
    """`%a, %b = `, or `%a:2 = ` where the values are named `a#0` and `a#1`; nothing without any."""
    if not outputs:
        return ""
    pack = outputs[0].name.partition("#")[0]
    if all(output.name == f"{pack}#{place}" for place, output in enumerate(outputs)):
        return f"%{pack}:{len(outputs)} = "
    return f"{', '.join(f'%{output.name}' for output in outputs)} = "


def _split(
    operands: tuple[Index | Scalar, ...], segments: list[int]
) -> list[tuple[Index | Scalar, ...]]:
    groups, start = [], 0
    for length in segments:
        groups.append(operands[start : start + length])
        start += length
    return groups
