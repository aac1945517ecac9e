"""Small bodies and modules, from which tests of rules are put together."""

from __future__ import annotations

from dataclasses import replace

from language import CHOICE, LANGUAGE, one_block, timepoint, with_nested
from samples import SEVEN, A, B, resource

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
)
from reference.ops import (
    Branch,
    Call,
    Clone,
    Execute,
    For,
    GlobalLoad,
    GlobalStore,
    If,
    Load,
    Return,
    Splat,
    Store,
    StreamYield,
    Transfer,
    Yield,
)
from reference.types import I1, I32, INDEX, Lifetime, Literal, Value

STAGING, VARIABLE = Lifetime.STAGING, Lifetime.VARIABLE
X, Y, Z = resource("x"), resource("y"), resource("z")
SHORT, STATE = resource("short", size=8), resource("state_value", VARIABLE)
STAGED, NEXT = resource("staged", STAGING), resource("next", STAGING)
END = Return(identity="end", values=())
ONE = Literal(1, I1)


def splat(result: Value, affinity: Affinity | None = A, identity: str = "") -> Splat:
    return Splat(
        identity=identity or f"make_{result.name}",
        pattern=SEVEN,
        result=result,
        affinity=affinity,
    )


def clone(source: Value, result: Value, affinity: Affinity | None = A) -> Clone:
    return Clone(identity=f"make_{result.name}", source=source, result=result, affinity=affinity)


def transfer(
    source: Value, result: Value, sender: Affinity = A, receiver: Affinity = A
) -> Transfer:
    return Transfer(
        identity=f"make_{result.name}",
        source=source,
        result=result,
        source_affinity=sender,
        target_affinity=receiver,
    )


def store(target: Value, result: Value) -> Store:
    return Store(
        identity=f"make_{result.name}", target=target, offset=0, scalar=SEVEN, result=result
    )


def load(source: Value, name: str = "loaded") -> Load:
    return Load(identity=f"load_{name}", source=source, offset=0, result=Value(name, I32))


def main(*blocks: Block, name: str = "main", public: bool = True, **others: object) -> Function:
    returned = [op for block in blocks for op in block.operations if isinstance(op, Return)]
    types = tuple(value.type for value in returned[-1].values) if returned else ()
    function = Function(name, Region(blocks), types, public)
    return replace(function, **others)  # type: ignore[arg-type]


def module(*functions: Function, **others: object) -> Program:
    return replace(Program((A.device, B.device), functions), **others)  # type: ignore[arg-type]


def straight(
    *operations: Operation, arguments: tuple[Value, ...] = (), **others: object
) -> Program:
    if not operations or not operations[-1].terminator:
        operations = (*operations, END)
    return module(main(Block(operations, arguments)), **others)


def chosen(
    *operations: Operation,
    outputs: tuple[Value, ...] = (),
    otherwise: tuple[Operation, ...] = (),
    identity: str = "if",
) -> If:
    return If(
        identity=identity, condition=CHOICE, outputs=outputs, then=one_block(*operations),
        otherwise=one_block(*otherwise) if otherwise else Region(()),
    )  # fmt: skip


def looped(
    *operations: Operation,
    carried: Value,
    initial: Value,
    output: Value,
    index: Value | None = None,
) -> For:
    return For(
        identity="for", lower=0, upper=4, step=1, initial=(initial,), outputs=(output,),
        body=one_block(*operations, arguments=(index or Value("i", INDEX), carried)),
    )  # fmt: skip


def ends(*values: Value, identity: str = "yield") -> Yield:
    return Yield(identity=identity, values=values)


def branch(block: int, *values: Value, identity: str = "branch") -> Branch:
    return Branch(identity=identity, target=Successor(block, values))


def call(*arguments: Value, outputs: tuple[Value, ...] = (), callee: str = "helper") -> Call:
    return Call(identity="call", callee=callee, arguments=arguments, outputs=outputs)


def global_load(result: Value, symbol: str = "state", **others: object) -> GlobalLoad:
    made = GlobalLoad(identity=f"load_{result.name}", symbol=symbol, result=result)
    return replace(made, **others)  # type: ignore[arg-type]


def global_store(source: Value, symbol: str = "state") -> GlobalStore:
    return GlobalStore(identity=f"store_{source.name}", symbol=symbol, source=source)


def work(*operations: Operation, capture: Value = X, outputs: tuple[Value, ...] = ()) -> Execute:
    inside = resource("inside")
    return Execute(
        identity="work", captures=(capture,), awaits=None, outputs=outputs,
        timepoint=timepoint("done"), affinity=A, body=one_block(*operations, arguments=(inside,)),
    )  # fmt: skip


INSIDE = resource("inside")
STATES = (Global("state", STATE.type, mutable=True),)
HELPER = main(
    Block((Return(identity="given", values=(X,)),), (X,)), name="helper", public=False
)  # fmt: skip
DONE = StreamYield(identity="done", values=())


def initializer(*operations: Operation, identity: str = "over") -> Initializer:
    return Initializer(one_block(*operations, Return(identity=identity, values=())))


def changed(kind: type[Operation], **fields: object) -> Program:
    return with_nested(replace(LANGUAGE[kind], **fields))
