"""`stream.async.dispatch`: a kernel run over parts of resources, in place where tied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from reference.affinity import Affinity
from reference.ir import Attribute, GenericOperation, Operation
from reference.ops.assembly import (
    Range,
    affinity_of,
    device_lifetime_problem,
    index,
    on,
    range_problem,
    ref,
    resource,
    result_names,
    same_size_problem,
    scalar,
    segments,
    sized,
    sized_results,
    ties_of,
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
    `other_kernels` do the same work; which of all is run is decided later.
    """

    kernel: str
    workload: tuple[Index, ...]
    arguments: tuple[Binding | Scalar, ...]
    outputs: tuple[Value, ...]
    ties: tuple[int | None, ...]
    affinity: Affinity | None
    other_kernels: tuple[str, ...] = ()

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
        workload = f"[{', '.join(map(ref, self.workload))}]" if self.workload else ""
        arguments = ", ".join(map(_argument, self.arguments))
        types = ", ".join(
            sized(item.value) if isinstance(item, Binding) else str(item.type)
            for item in self.arguments
        )
        targets = tuple(None if tie is None else self._tied_value(tie) for tie in self.ties)
        symbols = ", ".join(map(_symbol, (self.kernel, *self.other_kernels)))
        if self.other_kernels:
            symbols = f"{{{symbols}}}"
        return (
            f"{result_names(self.outputs)}{self.mnemonic} {on(self.affinity)}{symbols}{workload}"
            f"({arguments}) : ({types}) -> {sized_results(self.outputs, targets)}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Dispatch:
        kernels = _kernels(generic.attributes["entry_points"])
        ties = ties_of(generic.attributes.get("tied_operands"))
        groups = segments(generic)
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
            kernel=kernels[0],
            other_kernels=kernels[1:],
            workload=tuple(map(index, workload)),
            arguments=tuple(arguments),
            outputs=tuple(
                [
                    Value(result.name, result.type, index(size))
                    for result, size in zip(generic.results, result_sizes, strict=True)
                ]
            ),
            ties=ties or (None,) * len(generic.results),
            affinity=affinity_of(generic.attributes.get("affinity")),
        )

    def _tied_value(self, position: int) -> Value:
        argument = self.arguments[position]
        assert isinstance(argument, Binding)
        return argument.value


@lru_cache(maxsize=1024)
def _kernels(entry_points: Attribute) -> tuple[str, ...]:
    """The names of kernels, without the marks of symbols."""
    assert isinstance(entry_points, tuple)
    return tuple(
        "::".join(part.lstrip("@") for part in str(entry_point).split("::"))
        for entry_point in entry_points
    )


def _argument(item: Binding | Scalar) -> str:
    if not isinstance(item, Binding):
        return ref(item)
    span = item.span
    return f"%{item.value.name}[{ref(span.start)} to {ref(span.end)} for {ref(span.length)}]"


def _symbol(kernel: str) -> str:
    return "::".join(f"@{part}" for part in kernel.split("::"))
