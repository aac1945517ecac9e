"""What is well-formed is taken: by the verifier, and by the compiler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from bodies import (
    DONE,
    END,
    INSIDE,
    NEXT,
    STAGED,
    STATE,
    STATES,
    VARIABLE,
    X,
    Y,
    Z,
    branch,
    call,
    chosen,
    clone,
    ends,
    global_load,
    global_store,
    initializer,
    load,
    looped,
    main,
    module,
    splat,
    store,
    straight,
    transfer,
    work,
)
from language import CHOICE, whole_language
from samples import LENGTH, A, Ask, B, resource

from reference.ir import (
    Block,
    Function,
    Global,
    Program,
    Region,
    Successor,
)
from reference.ops import (
    ConditionalBranch,
    HostScalar,
    Return,
)
from reference.text import print_program
from reference.types import INDEX, Value
from reference.verifier import verify


def everywhere() -> Program:
    """A global that is stored on one device and read there, by a call in a loop in a branch."""
    helper = main(
        Block((clone(X, Y), Return(identity="given", values=(Y,))), (X,)),
        name="helper",
        public=False,
    )
    inner = replace(
        looped(
            replace(call(resource("c"), outputs=(resource("d"),)), identity="call"),
            ends(resource("d")), carried=resource("c"), initial=resource("b"), output=resource("e"),
        )
    )  # fmt: skip
    first = Block(
        (
            global_load(STATE), transfer(STATE, resource("b")),
            ConditionalBranch(identity="choice", condition=CHOICE, then=Successor(1),
                              otherwise=Successor(2, (resource("b"),))),
        ),
        (CHOICE,),
    )  # fmt: skip
    second = Block((inner, branch(2, resource("e"))))
    third = Block(
        (
            transfer(resource("f"), resource("back", VARIABLE)),
            global_store(resource("back", VARIABLE)),
            END,
        ),
        (resource("f"),),
    )
    return module(main(first, second, third), helper, globals=STATES)


IT = resource("it", size=Value("n", INDEX))

KEPT: dict[str, Program | Callable[[], Program]] = {
    "the whole language": whole_language,
    "everywhere": everywhere,
    "an initializer makes a variable": straight(
        initializers=(initializer(splat(STATE), global_store(STATE)),), globals=STATES
    ),
    "initialized once": straight(
        initializers=(initializer(splat(STATE), global_store(STATE)),),
        globals=(Global("state", STATE.type),),
    ),
    "a loop of blocks": module(
        main(
            Block((splat(X), branch(1, X)), (CHOICE,)),
            Block(
                (
                    clone(Y, Z),
                    ConditionalBranch(identity="choice", condition=CHOICE,
                                      then=Successor(1, (Z,)), otherwise=Successor(2)),
                ),
                (Y,),
            ),
            Block((clone(Z, resource("last")), END)),
        )
    ),
    "moved in a branch": straight(
        splat(X, B),
        chosen(transfer(X, Y, B, A), ends(Y), outputs=(Z,),
               otherwise=(splat(resource("w")), ends(resource("w"), identity="other"))),
        clone(Z, resource("end")),
        arguments=(CHOICE,),
    ),
    "stored where it was made": straight(
        splat(X),
        chosen(transfer(X, STAGED), load(STAGED), store(STAGED, NEXT), load(NEXT, "after"), ends()),
        arguments=(CHOICE,),
    ),
    "a declaration is called": module(
        *straight(call(X, outputs=(Y,)), arguments=(X,)).functions,
        Function("helper", Region(()), (X.type,), public=False, declared=(X.type,)),
    ),
    "numbers in work": straight(
        work(HostScalar(identity="sum", name="arith.addi", arguments=(LENGTH, LENGTH),
                        outputs=(Value("sum", INDEX),),
                        attributes=(("overflowFlags", "#arith.overflow<none>"),)), DONE),
        arguments=(X, LENGTH),
    ),
    "moved within work": straight(
        splat(X, B), work(transfer(INSIDE, Y, B, A), DONE)
    ),
    "endless": module(main(Block((branch(1),)), Block((branch(1, identity="again"),)))),
    "a size handed over beside its resource": module(
        main(
            Block((branch(1, resource("held", size=LENGTH), LENGTH),),
                  (resource("held", size=LENGTH), LENGTH)),
            Block(
                (clone(IT, replace(IT, name="new")), END),
                (IT, Value("n", INDEX)),
            ),
        )
    ),
    "a scalar choice": straight(
        looped(ends(Value("n", INDEX)), carried=Value("n", INDEX), initial=LENGTH,
               output=Value("m", INDEX)),
        arguments=(LENGTH,),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_what_is_well_formed_is_taken(ask: Ask, name: str) -> None:
    kept = KEPT[name]
    whole = kept() if callable(kept) else kept
    assert list(map(str, verify(whole))) == []
    ask(print_program(whole), ["run", "builtin.module(iree-stream-verify-async-access-ranges)"])
