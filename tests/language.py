"""A program with every op that needs more than a straight line: regions, calls, globals, time."""

from __future__ import annotations

from dataclasses import replace

from samples import LENGTH, SEVEN, A, B, resource

from reference.affinity import Affinity
from reference.ir import (
    Block,
    Function,
    Global,
    Initializer,
    Operation,
    Program,
    Region,
    Successor,
    map_operations,
)
from reference.ops import (
    Await,
    Branch,
    Call,
    ChainExternal,
    Clone,
    Concurrent,
    Condition,
    ConditionalBranch,
    Execute,
    For,
    GlobalLoad,
    GlobalStore,
    If,
    Immediate,
    Join,
    OpaqueOperation,
    OptimizationBarrier,
    ResourceSize,
    Return,
    Select,
    Splat,
    StreamYield,
    TimepointBarrier,
    TimepointExport,
    TimepointImport,
    Transients,
    While,
    Yield,
)
from reference.types import FENCE, I1, INDEX, TIMEPOINT, Lifetime, Literal, OpaqueType, Value

VARIABLE = Lifetime.VARIABLE


def timepoint(name: str) -> Value:
    """A point in time."""
    return Value(name, TIMEPOINT)


def one_block(*operations: Operation, arguments: tuple[Value, ...] = ()) -> Region:
    """A region of one block."""
    return Region((Block(operations, arguments),))


CHOICE = Value("choice", I1)
FENCE_IN = Value("fence_in", FENCE)
START = resource("start")

_imported, _immediate, _joined = map(timepoint, ("imported", "immediate", "joined"))
_ready, _done, _past = map(timepoint, ("ready", "done", "past"))
_splat, _other = resource("splat"), resource("other")
_selected, _opaque_source = resource("selected"), Value("device", OpaqueType("!hal.device"))
_awaited, _marked, _backed = resource("awaited"), resource("marked"), resource("backed")
_loaded = resource("loaded", VARIABLE)
_hidden, _called = resource("hidden"), resource("called")
_chosen, _counted, _whiled = resource("chosen"), resource("counted"), resource("whiled")
_turn, _carried, _next = Value("turn", INDEX), resource("carried"), resource("next")
_asked, _going = resource("asked"), resource("going")
_executed, _inner, _wave, _waved = (resource(name) for name in ("executed", "in", "wave", "waved"))
_wave_in, _wave_out = resource("wave_in"), resource("wave_out")
_fence_out = Value("fence_out", FENCE)
_met = resource("met")

_MAIN: tuple[Operation, ...] = (
    Immediate(identity="op0", result=_immediate),
    TimepointImport(identity="op1", sources=(FENCE_IN,), result=_imported, affinity=A),
    Join(identity="op2", sources=(_immediate, _imported), result=_joined),
    Select(identity="op4", condition=CHOICE, then=START, otherwise=_splat, result=_selected),
    TimepointBarrier(
        identity="op5", source=_selected, result=_marked, timepoint=_ready, affinity=A
    ),
    Await(identity="op6", awaits=_ready, sources=(_marked,), outputs=(_awaited,)),
    Transients(
        identity="op7", source=_awaited, storage=START, awaits=_joined, result=_backed,
        timepoint=_past, affinity=A,
    ),
    GlobalLoad(identity="op8", symbol="state", result=_loaded),
    GlobalStore(identity="op9", symbol="state", source=_loaded),
    OptimizationBarrier(identity="op10", sources=(_backed,), outputs=(_hidden,)),
    Call(
        identity="op11", callee="helper", arguments=(_hidden, CHOICE, Literal(3, INDEX)),
        outputs=(_called,), ties=(0,),
    ),
    If(
        identity="op12", condition=CHOICE, outputs=(_chosen,),
        then=one_block(Yield(identity="op13", values=(_called,))),
        otherwise=one_block(Yield(identity="op14", values=(START,))),
    ),
    For(
        identity="op15", lower=0, upper=4, step=1, initial=(_chosen,), outputs=(_counted,),
        body=one_block(
            Clone(identity="op16", source=_carried, result=_next, affinity=A),
            Yield(identity="op17", values=(_next,)),
            arguments=(_turn, _carried),
        ),
    ),
    While(
        identity="op18", initial=(_counted,), outputs=(_whiled,),
        before=one_block(
            Condition(identity="op19", condition=CHOICE, values=(_asked,)), arguments=(_asked,)
        ),
        after=one_block(Yield(identity="op20", values=(_going,)), arguments=(_going,)),
    ),
    Execute(
        identity="op21", captures=(_whiled,), awaits=_past, outputs=(_executed, _other),
        timepoint=_done, affinity=A, ties=(None, 0),
        body=one_block(
            Concurrent(
                identity="op22", captures=(_inner,), outputs=(_wave,), ties=(),
                body=one_block(
                    Clone(identity="op23", source=_wave_in, result=_wave_out, affinity=None),
                    StreamYield(identity="op24", values=(_wave_out,)),
                    arguments=(_wave_in,),
                ),
            ),
            StreamYield(identity="op25", values=(_wave, _inner)),
            arguments=(_inner,),
        ),
    ),
    ResourceSize(identity="op26", source=_executed, result=Value("long", INDEX)),
    TimepointExport(identity="op27", source=_done, outputs=(_fence_out,), affinity=A),
    ChainExternal(identity="op28", source=_done, externals=(FENCE_IN,), affinity=A),
    OpaqueOperation(
        identity="op29", name="hal.device.resolve", arguments=(), outputs=(_opaque_source,),
        attributes=(("affinity", str(A)),),
    ),
    OpaqueOperation(
        identity="op30", name="hal.fence.signal", arguments=(_fence_out,), outputs=(),
    ),
    ConditionalBranch(
        identity="op31", condition=CHOICE, then=Successor(1, (_executed,)),
        otherwise=Successor(2, (_executed, Literal(7, INDEX))),
    ),
    Branch(identity="op32", target=Successor(2, (_waved, Literal(8, INDEX)))),
)  # fmt: skip
"""The ops of the first block, then the branch of the second."""


def whole_language() -> Program:
    """A well-formed program with at least one op of each kind of `LANGUAGE`."""
    return _WHOLE


def with_nested(changed: Operation) -> Program:
    """The program with the op of the same identity replaced, wherever it stands."""

    def change(operation: Operation) -> Operation:
        return changed if operation.identity == changed.identity else operation

    return replace(
        _WHOLE,
        functions=tuple(
            replace(function, body=map_operations(function.body, change))
            for function in _WHOLE.functions
        ),
    )


def _whole() -> Program:
    first: list[Operation] = []
    second: list[Operation] = []
    for operation in _MAIN:
        (second if isinstance(operation, Branch) else first).append(operation)
        if operation.identity == "op2":
            first.append(
                Splat(identity="op3", pattern=SEVEN, result=_splat, affinity=A, awaits=_joined)
            )
    end = Return(identity="op40", values=(_met, Literal(1, I1)))
    main = Function(
        name="main",
        body=Region(
            (
                Block(tuple(first), (START, CHOICE, FENCE_IN, LENGTH)),
                Block(tuple(second), (_waved,)),
                Block((end,), (_met, Value("count", INDEX))),
            )
        ),
        result_types=(START.type, I1),
        attributes=(("iree.abi.stub", "unit"),),
        default_affinity=B,
    )
    taken = resource("taken")
    helper = Function(
        name="helper",
        body=one_block(
            Return(identity="op41", values=(taken,)),
            arguments=(taken, Value("flag", I1), Value("number", INDEX)),
        ),
        result_types=(taken.type,),
        public=False,
        ties=(0,),
    )
    elsewhere = Function(
        name="elsewhere", body=Region(()), result_types=(START.type,), public=False, ties=(1,),
        declared=(INDEX, START.type),
    )  # fmt: skip
    value = resource("value", VARIABLE)
    setup = Initializer(
        one_block(
            Splat(identity="op50", pattern=SEVEN, result=value, affinity=A),
            GlobalStore(identity="op51", symbol="state", source=value),
            Return(identity="op52", values=()),
        )
    )
    return Program(
        devices=(A.device, B.device),
        functions=(main, helper, elsewhere),
        globals=(
            Global(name="state", type=value.type, mutable=True, affinity=A),
            Global(name="size", type=INDEX, public=True, initial="16 : index"),
        ),
        initializers=(setup,),
        default_affinity=Affinity(A.device, 0b11),
    )


_WHOLE = _whole()

LANGUAGE: dict[type[Operation], Operation] = {
    type(operation): operation
    for operation in _WHOLE.operations()
    if not isinstance(operation, Clone | Return | Splat)
}
"""One op of each kind."""
