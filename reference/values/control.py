"""What the ops of the host do, each a rule of `reference/values/machine.py`: control flow, calls,
globals, numbers, timepoints."""

from __future__ import annotations

from typing import Any

from reference.ir import Operation, UnsupportedOperationError
from reference.ops import (
    Await,
    Call,
    ChainExternal,
    Concurrent,
    Condition,
    Execute,
    For,
    GlobalLoad,
    GlobalStore,
    HostScalar,
    If,
    Immediate,
    Join,
    OpaqueOperation,
    OptimizationBarrier,
    ResourceSize,
    Select,
    StreamYield,
    TimepointBarrier,
    TimepointExport,
    TimepointImport,
    Transients,
    While,
    Yield,
)
from reference.types import INDEX, ScalarType, Value
from reference.values.content import ENDLESS
from reference.values.machine import Machine, Opaque, Rule, View
from reference.values.numbers import evaluate, signed

_START = 0
"""The timepoint that is reached from the start."""


def _if(machine: Machine[Any], op: If) -> None:
    region = op.then if machine.number(op.condition) else op.otherwise
    if region.blocks:
        machine.bind(op.outputs, _yielded(machine, machine.region(region, ())))


def _for(machine: Machine[Any], op: For) -> None:
    turn, upper, step = (
        signed(machine.number(item), INDEX) for item in (op.lower, op.upper, op.step)
    )
    carried = [machine.value(item) for item in op.initial]
    while turn < upper:
        carried = _yielded(machine, machine.region(op.body, (turn, *carried)))
        turn += step
    machine.bind(op.outputs, carried)


def _while(machine: Machine[Any], op: While) -> None:
    carried = [machine.value(item) for item in op.initial]
    while True:
        asked = machine.region(op.before, carried)
        assert isinstance(asked, Condition)
        handed = [machine.value(item) for item in asked.values]
        if not machine.number(asked.condition):
            machine.bind(op.outputs, handed)
            return
        carried = _yielded(machine, machine.region(op.after, handed))


def _yielded(machine: Machine[Any], last: Operation) -> list[Any]:
    assert isinstance(last, StreamYield | Yield)
    return [machine.value(item) for item in last.values]


def _select(machine: Machine[Any], op: Select) -> None:
    chosen = op.then if machine.number(op.condition) else op.otherwise
    machine.values[op.result.name] = machine.values[chosen.name]


def _call(machine: Machine[Any], op: Call) -> None:
    function = machine.functions.get(op.callee)
    if function is None or function.is_declaration:
        raise UnsupportedOperationError(f"{op.mnemonic} of @{op.callee}, which is elsewhere")
    machine.bind(op.outputs, machine.call(function, [machine.value(item) for item in op.arguments]))


def _global_load(machine: Machine[Any], op: GlobalLoad) -> None:
    if op.symbol not in machine.globals:
        raise UnsupportedOperationError(f"@{op.symbol}, whose contents are not known")
    machine.values[op.result.name] = machine.globals[op.symbol]


def _global_store(machine: Machine[Any], op: GlobalStore) -> None:
    machine.globals[op.symbol] = machine.value(op.source)


def _host_scalar(machine: Machine[Any], op: HostScalar) -> None:
    arguments = [machine.number(item) for item in op.arguments]
    takes = [item.type for item in op.arguments]
    predicate = next((int(text) for name, text in op.attributes if name == "predicate"), 0)
    (output,) = op.outputs
    machine.values[output.name] = evaluate(op.name, arguments, takes, output.type, predicate)


def _opaque(machine: Machine[Any], op: OpaqueOperation) -> None:
    """Results are known by the op and what it takes: the same wherever these are the same."""
    taken = [machine.value(item) for item in op.arguments]
    told = f"{op.name}{op.attributes}{[_told(item) for item in taken]}"
    for place, output in enumerate(op.outputs):
        name = f"{told}#{place}"
        if isinstance(output.type, ScalarType):
            machine.values[output.name] = machine.inputs.drawn(name.encode(), output.type)
        else:
            machine.values[output.name] = Opaque(name)


def _told(item: Any) -> str:
    """A value of the host as far as its memory has no part in it."""
    return f"{item.size} bytes" if isinstance(item, View) else str(item)


def _resource_size(machine: Machine[Any], op: ResourceSize) -> None:
    size = op.source.size
    length = machine.memory.look(machine.values[op.source.name]).length
    if size is None and length == ENDLESS:
        raise UnsupportedOperationError(f"{op.mnemonic} of what has no known size")
    machine.values[op.result.name] = length if size is None else machine.number(size)


def _optimization_barrier(machine: Machine[Any], op: OptimizationBarrier) -> None:
    machine.bind(op.outputs, [machine.value(item) for item in op.sources])


def _execute(machine: Machine[Any], op: Execute) -> None:
    captures = [machine.values[value.name] for value in op.captures]
    machine.memory.begin(_awaited(machine, op.awaits), op.affinity)
    yielded = _yielded(machine, machine.region(op.body, captures))
    machine.values[op.timepoint.name] = machine.memory.end()
    machine.bind(op.outputs, yielded)


def _concurrent(machine: Machine[Any], op: Concurrent) -> None:
    (block,) = op.body.blocks
    machine.bind(block.arguments, [machine.values[value.name] for value in op.captures])
    last = machine.run(block, machine.memory.branch)
    machine.memory.join()
    machine.bind(op.outputs, _yielded(machine, last))


def _await(machine: Machine[Any], op: Await) -> None:
    """An await of values that nobody takes is dead, and gone as soon as a pass looks at it: it is
    pure (`Stream_TimepointAwaitOp`, compiler/src/iree/compiler/Dialect/Stream/IR/StreamOps.td)."""
    if not op.outputs or any(one.name in machine.used for one in op.outputs):
        machine.memory.wait(_awaited(machine, op.awaits))
    machine.bind(op.outputs, [machine.values[value.name] for value in op.sources])


def _timepoint_barrier(machine: Machine[Any], op: TimepointBarrier) -> None:
    held = machine.values[op.source.name]
    machine.values[op.result.name] = held
    machine.values[op.timepoint.name] = machine.memory.ready(held)


def _transients(machine: Machine[Any], op: Transients) -> None:
    machine.values[op.result.name] = machine.values[op.source.name]
    machine.values[op.timepoint.name] = _awaited(machine, op.awaits)


def _join(machine: Machine[Any], op: Join) -> None:
    reached = _START
    for source in op.sources:
        reached |= _awaited(machine, source)
    machine.values[op.result.name] = reached


def _from_start(machine: Machine[Any], op: Immediate | TimepointImport) -> None:
    """What is waited for outside of the program orders nothing within it."""
    machine.values[op.result.name] = _START


def _timepoint_export(machine: Machine[Any], op: TimepointExport) -> None:
    machine.memory.tell(_awaited(machine, op.source))
    machine.bind(op.outputs, [Opaque(op.mnemonic)] * len(op.outputs))


def _chain_external(machine: Machine[Any], op: ChainExternal) -> None:
    machine.memory.tell(_awaited(machine, op.source))


def _awaited(machine: Machine[Any], timepoint: Value | None) -> int:
    found = _START if timepoint is None else machine.values[timepoint.name]
    return found if isinstance(found, int) else _START


CONTROL_RULES: dict[type[Operation], Rule] = {
    If: _if,
    For: _for,
    While: _while,
    Select: _select,
    Call: _call,
    GlobalLoad: _global_load,
    GlobalStore: _global_store,
    HostScalar: _host_scalar,
    OpaqueOperation: _opaque,
    OptimizationBarrier: _optimization_barrier,
    ResourceSize: _resource_size,
    Execute: _execute,
    Concurrent: _concurrent,
    Await: _await,
    TimepointBarrier: _timepoint_barrier,
    Transients: _transients,
    Join: _join,
    Immediate: _from_start,
    TimepointImport: _from_start,
    TimepointExport: _timepoint_export,
    ChainExternal: _chain_external,
}
