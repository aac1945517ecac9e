"""Control flow, calls, globals, inputs: what a whole program returns."""

from __future__ import annotations

from dataclasses import replace

import pytest
from valued import (
    SIZE,
    A,
    both,
    bound,
    dispatch,
    evaluated,
    fill,
    function,
    number,
    one_block,
    program,
    resource,
    returns,
    slice_of,
    splat,
    values,
)

from reference.ir import (
    Block,
    Function,
    Global,
    Initializer,
    Region,
    Successor,
    UnsupportedOperationError,
)
from reference.ops import (
    Await,
    Branch,
    Call,
    ChainExternal,
    Concurrent,
    Condition,
    ConditionalBranch,
    Execute,
    For,
    GlobalLoad,
    GlobalStore,
    HostScalar,
    If,
    Immediate,
    Import,
    Join,
    OpaqueOperation,
    OptimizationBarrier,
    ResourceSize,
    Return,
    Select,
    StreamYield,
    TimepointBarrier,
    TimepointExport,
    TimepointImport,
    Transients,
    While,
    Yield,
)
from reference.ops.tensor_phase import TensorOperation
from reference.types import (
    BUFFER_VIEW,
    F32,
    FENCE,
    I1,
    I32,
    I64,
    INDEX,
    TIMEPOINT,
    Literal,
    OpaqueType,
    Value,
)
from reference.values.content import Content, literal
from reference.values.inputs import inputs_of
from reference.values.machine import EndlessError
from reference.values.numbers import float_bits

FLAG, COUNT = Value("flag", I1), Value("count", INDEX, known=3)
START = splat("start", 1)
OUT = resource("out")


def hand_on(*sources):
    return Yield(identity="y", values=tuple(one.results[0] for one in sources))


def index(name, operation, *arguments):
    return HostScalar(
        identity=name, name=f"arith.{operation}", outputs=(Value(name, INDEX),),
        arguments=tuple(number(one, INDEX) for one in arguments),
    )  # fmt: skip


def test_if_takes_one_side():
    sides = [one_block(splat("two", 2), hand_on(splat("two", 2))),
             one_block(splat("three", 3), hand_on(splat("three", 3)))]  # fmt: skip
    choice = If(identity="i", condition=FLAG, outputs=(OUT,), then=sides[0], otherwise=sides[1])
    whole = program(function(choice, gives=(OUT,), arguments=(FLAG,)))
    found = [values(evaluated(whole, inputs)) for inputs in inputs_of(whole)]
    assert found == [[literal(b"\3" * 8)], [literal(b"\2" * 8)]]


def test_an_if_without_else_does_nothing_or_stores():
    store = GlobalStore(identity="s", symbol="g", source=Literal(7, I32))
    done = Yield(identity="y", values=())
    choice = If(
        identity="i", condition=FLAG, outputs=(), then=one_block(store, done), otherwise=Region(())
    )
    held = Global("g", I32, mutable=True, public=True)
    whole = program(function(choice, arguments=(FLAG,)), globals=(held,))
    assert [values(evaluated(whole, one)) for one in inputs_of(whole)] == [[0], [7]]


@pytest.mark.parametrize(("upper", "turns"), [(COUNT, [0, 2]), (0, []), (5, [0, 2, 4])])
def test_for_counts(upper, turns):
    turn, carried = Value("turn", INDEX), resource("carried")
    worked = dispatch("worked", "ex::a_windex_t", bound(carried), turn, ties=(0,))
    loop = For(
        identity="f", lower=0, upper=upper, step=2, initial=(START.result,), outputs=(OUT,),
        body=one_block(worked, hand_on(worked), arguments=(turn, carried)),
    )  # fmt: skip
    (found,) = returns(START, loop, gives=(OUT,), arguments=(COUNT,))
    seen = []
    while found != literal(b"\1" * 8):
        assert isinstance(found, Content)
        ((term, _, _),) = found.pieces
        seen.append(term.scalars[0])
        (found,) = term.contents
    assert seen == turns[::-1]


def test_while_asks_before_each_turn():
    left, going = Value("left", INDEX), Value("going", INDEX)
    body, next_body = resource("body"), resource("next_body")
    more = HostScalar(
        identity="m", name="arith.cmpi", arguments=(left, Literal(0, INDEX)),
        outputs=(Value("more", I1),), attributes=(("predicate", "1"),),
    )  # fmt: skip
    before = one_block(
        more,
        Condition(identity="c", condition=Value("more", I1), values=(left, body)),
        arguments=(left, body),
    )
    less = index("less", "subi", going, 1)
    filled = fill("filled", next_body, 0, 1, 9)
    after = one_block(
        less, filled,
        Yield(identity="y", values=(less.outputs[0], filled.result)),
        arguments=(going, next_body),
    )  # fmt: skip
    end = Value("end", INDEX)
    loop = While(
        identity="w", initial=(COUNT, START.result), outputs=(end, OUT), before=before, after=after
    )
    found = returns(START, loop, gives=(end, OUT), arguments=(COUNT,))
    assert found == [0, literal(b"\x09" + b"\1" * 7)]


def test_a_loop_without_end_is_given_up():
    before = one_block(Condition(identity="c", condition=Literal(1, I1), values=()))
    after = one_block(Yield(identity="y", values=()))
    loop = While(identity="w", initial=(), outputs=(), before=before, after=after)
    with pytest.raises(EndlessError):
        returns(loop, gives=())


def test_blocks_and_branches():
    taken = resource("taken")
    entry = Block(
        (START, splat("two", 2),
         ConditionalBranch(identity="c", condition=FLAG,
                           then=Successor(1, (START.result,)), otherwise=Successor(2))),
        (FLAG,),
    )  # fmt: skip
    one = Block((Return(identity="r", values=(taken,)),), (taken,))
    two = Block((Branch(identity="b", target=Successor(1, (resource("two"),))),))
    body = Function("main", Region((entry, one, two)), (taken.type,))
    whole = program(body)
    found = [values(evaluated(whole, inputs)) for inputs in inputs_of(whole)]
    assert found == [[literal(b"\2" * 8)], [literal(b"\1" * 8)]]


def test_an_op_without_a_rule_is_named():
    odd = TensorOperation(
        identity="t", name="flow.tensor.empty", arguments=(), outputs=(), ties=(), affinity=None
    )
    with pytest.raises(UnsupportedOperationError, match=r"tensor\.operation"):
        returns(odd, gives=())


def test_a_body_ends_in_a_terminator_of_its_own():
    body = Region((Block((Yield(identity="y", values=()),)),))
    with pytest.raises(UnsupportedOperationError):
        evaluated(program(Function("main", body, ())))


def test_select_and_optimization_barrier_give_what_they_take():
    two = splat("two", 2)
    chosen = Select(
        identity="s", condition=FLAG, then=START.result, otherwise=two.result, result=OUT
    )
    passed = OptimizationBarrier(identity="o", sources=(OUT,), outputs=(resource("passed"),))
    whole = program(function(START, two, chosen, passed, gives=(passed,), arguments=(FLAG,)))
    found = [values(evaluated(whole, inputs)) for inputs in inputs_of(whole)]
    assert found == [[literal(b"\2" * 8)], [literal(b"\1" * 8)]]


def test_a_call_is_its_function():
    inner = resource("inner")
    filled = fill("filled", inner, 0, 2, 9)
    callee = function(filled, gives=(filled,), arguments=(inner,), name="callee", public=False)
    call = Call(identity="c", callee="callee", arguments=(START.result,), outputs=(OUT,), ties=(0,))
    main = function(START, call, gives=(OUT, START))
    found = values(evaluated(program(main, callee)))
    assert found == [literal(b"\x09\x09" + b"\1" * 6), literal(b"\1" * 8)]
    declared = replace(callee, body=Region(()), declared=(inner.type,))
    for functions in ((main,), (main, declared)):
        with pytest.raises(UnsupportedOperationError):
            evaluated(program(*functions))


def held_program(public, initializers=()):
    held = Global("g", OUT.type, mutable=True, public=public)
    loaded = GlobalLoad(identity="l", symbol="g", result=OUT)
    filled = fill("filled", OUT, 0, 1, 9)
    stored = GlobalStore(identity="s", symbol="g", source=filled.result)
    main = function(loaded, filled, stored, gives=(OUT,))
    return program(main, globals=(held,), initializers=initializers)


def test_globals_live_from_call_to_call():
    stored = GlobalStore(identity="s0", symbol="g", source=START.result)
    first = Initializer(one_block(START, stored, Return(identity="r", values=())))
    found = evaluated(held_program(True, (first,)))
    assert [result.what for result in found.results] == [
        "result 0 of @main", "result 0 of @main, call 2", "@g",
    ]  # fmt: skip
    assert values(found) == [
        literal(b"\1" * 8), literal(b"\x09" + b"\1" * 7), literal(b"\x09" + b"\1" * 7),
    ]  # fmt: skip
    # Nobody sees a private one but the program.
    assert len(values(evaluated(held_program(False, (first,))))) == 2


def test_what_a_pass_leaves_out_changes_no_call():
    stored = GlobalStore(identity="s0", symbol="g", source=START.result)
    held = Global("g", OUT.type, mutable=True)
    main = function(START, gives=(START,))
    unused = function(START, stored, name="unused", public=False)
    (inputs,) = inputs_of(program(main, unused, globals=(held,)))
    assert inputs.calls == 2
    assert len(values(evaluated(program(main, globals=(held,)), inputs))) == 2


def test_a_global_that_nobody_has_stored_to_is_unwritten():
    found = evaluated(held_program(False))
    assert all(isinstance(one, Content) and one.vague for one in values(found))


@pytest.mark.parametrize(
    ("kind", "initial", "expected"),
    [
        (I32, "7 : i32", 7),
        (I32, "-1 : i32", 0xFFFFFFFF),
        (I32, None, 0),
        (F32, "1.500000e+00 : f32", float_bits(1.5, F32)),
        (F32, "0x7FC00000 : f32", 0x7FC00000),
        (I1, "true", 1),
        (I1, "false", 0),
        (INDEX, "5 : index", 5),
    ],
)
def test_scalar_globals_start_with_their_value(kind, initial, expected):
    held = Global("g", kind, initial=initial)
    loaded = GlobalLoad(identity="l", symbol="g", result=Value("x", kind))
    assert values(evaluated(program(function(loaded, gives=(loaded,)), globals=(held,)))) == [
        expected
    ]


def test_a_global_of_unknown_contents_is_said():
    held = Global("g", I32, initial="#odd : i32")
    loaded = GlobalLoad(identity="l", symbol="g", result=Value("x", I32))
    with pytest.raises(UnsupportedOperationError):
        evaluated(program(function(loaded, gives=(loaded,)), globals=(held,)))


def test_timepoints_change_no_value():
    """And what is no number or resource is no result."""
    fence, made, marked = Value("fence", FENCE), Value("made", TIMEPOINT), resource("marked")
    ready, joined, start = (Value(name, TIMEPOINT) for name in ("ready", "joined", "early"))
    told, backed, past = Value("told", FENCE), resource("backed"), Value("past", TIMEPOINT)
    operations = (
        START,
        Immediate(identity="i", result=start),
        TimepointImport(identity="t", sources=(fence,), result=made, affinity=A),
        TimepointBarrier(
            identity="b", source=START.result, result=marked, timepoint=ready, affinity=A
        ),
        Join(identity="j", sources=(made, ready, start), result=joined),
        Await(identity="a", awaits=joined, sources=(marked,), outputs=(OUT,)),
        Transients(
            identity="x", source=OUT, storage=START.result, awaits=ready, result=backed,
            timepoint=past, affinity=A,
        ),
        TimepointExport(identity="e", source=joined, outputs=(told,), affinity=A),
        ChainExternal(identity="c", source=joined, externals=(fence,), affinity=A),
    )  # fmt: skip
    held = Global("t", TIMEPOINT, initial="#stream.timepoint<immediate>", public=True)
    loaded = GlobalLoad(identity="l", symbol="t", result=Value("from_global", TIMEPOINT))
    late = Await(identity="w", awaits=loaded.result, sources=(backed,), outputs=(resource("late"),))
    main = function(
        *operations, loaded, late, gives=(late, joined, told, fence), arguments=(fence,)
    )
    for outcome in both(program(main, globals=(held,))):
        assert values(outcome) == [literal(b"\1" * 8)]
        assert outcome.races == ()


def region(*operations, captures=(), arguments=(), gives=(), outputs=(), name="work"):
    body = one_block(
        *operations,
        StreamYield(identity="y", values=tuple(one.results[0] for one in gives)),
        arguments=arguments,
    )
    return Execute(
        identity=name, captures=captures, awaits=None, outputs=outputs,
        timepoint=Value(f"{name}_done", TIMEPOINT), body=body, affinity=A,
    )  # fmt: skip


def test_regions_and_waves_hand_on_what_they_yield():
    captured, inner, waved = resource("captured"), resource("inner"), resource("waved")
    two = splat("two", 2)
    wave = Concurrent(
        identity="wave", captures=(captured,), outputs=(waved,),
        body=one_block(
            slice_of("part", inner, 0, 4), two,
            StreamYield(identity="y2", values=(inner,)), arguments=(inner,),
        ),
    )  # fmt: skip
    work = region(
        wave, captures=(START.result,), arguments=(captured,), gives=(wave,), outputs=(OUT,)
    )
    for outcome in both(program(function(START, work, gives=(OUT,)))):
        assert values(outcome) == [literal(b"\1" * 8)]


def test_resource_sizes():
    sizeless = replace(START.result, size=None)
    asked = ResourceSize(identity="a", source=sizeless, result=Value("size", INDEX))
    assert returns(START, asked, gives=(asked,)) == [SIZE]
    told = replace(asked, source=replace(START.result, size=5))
    assert returns(START, told, gives=(told,)) == [5]
    argument = resource("argument")
    of_argument = replace(asked, source=replace(argument, size=None))
    assert returns(of_argument, gives=(of_argument,), arguments=(argument,)) == [SIZE]
    view = Value("view", BUFFER_VIEW)
    taken = Import(
        identity="i", source=view, encoding="tensor<8xi8>", dimensions=(), result=argument,
        affinity=A,
    )  # fmt: skip
    again = replace(taken, identity="again", result=replace(argument, name="again"))
    whole = program(
        function(taken, again, of_argument, gives=(of_argument, again), arguments=(view,))
    )
    for outcome in both(whole):
        assert values(outcome)[0] == SIZE
    endless = replace(argument, size=None)
    with pytest.raises(UnsupportedOperationError):
        returns(of_argument, gives=(), arguments=(endless,))


def test_opaque_ops_give_the_same_for_the_same():
    device, view = OpaqueType("!hal.device"), Value("view", BUFFER_VIEW)

    def query(name, *arguments, kind=INDEX):
        return OpaqueOperation(
            identity=name, name="hal.query", arguments=arguments, outputs=(Value(name, kind),)
        )

    found = query("found", kind=device)
    one, two = query("one", found.outputs[0]), query("two", found.outputs[0])
    three, shown = query("three", Literal(1, I64)), query("shown", view)
    given = returns(
        found, one, two, three, shown, gives=(one, two, three, shown, found), arguments=(view,)
    )
    assert given[0] == given[1] != given[2]
    assert len(given) == 4
