"""What programs of the command level compute: the same terms as at the async level."""

from __future__ import annotations

import pytest
from commanded import module, program_of, traces
from samples import Ask

from reference.commands.host_bytes import host_content
from reference.commands.kernels import uses_of
from reference.commands.packing import aligned, packed
from reference.commands.run import run
from reference.commands.values import evaluate_commands
from reference.ir import UnsupportedOperationError
from reference.ops.command import CommandBinding, CommandDispatch, Part, Use
from reference.types import RESOURCES, Lifetime, Value
from reference.values.content import Content, OutOfBoundsError
from reference.values.inputs import inputs_of
from reference.values.kernels import Interfaces
from reference.values.terms import Terms

MADE = """
%m, %there = stream.resource.alloca uninitialized on(<@a>) : !r<external>{%c16} => !tp
"""
RETURN = """
%w = stream.timepoint.await %one => %m : !r<external>{%c16}
util.return %w : !r<external>
"""


def region(*commands: str, captures: str = "%m as %x: !r<external>{%c16}") -> str:
    body = "\n".join(commands)
    head = f"%one = stream.cmd.execute on(<@a>) await(%there) => with({captures})"
    return f"{head} {{\n{body}\n}} => !tp\n"


def returned(ask: Ask, body: str, arguments: str = "", outside: str = "") -> Content | int:
    """The only result of a function that returns memory."""
    program = program_of(ask, module(body, arguments, "!r<external>", outside))
    (result,) = traces(program)[0].outcome.results
    return result.value


def known(ask: Ask, body: str) -> str:
    """The bytes of the only result, all of them known."""
    content = returned(ask, body)
    assert isinstance(content, Content)
    data = content.known()
    assert data is not None
    return data.hex(" ", 4)


FILL = "stream.cmd.fill %p7, %x[%c0 for %c16] : i32 -> !r<external>{%c16}"


def test_fills_and_copies(ask: Ask) -> None:
    clear = "%z = arith.constant 0 : i8\n"
    half = "stream.cmd.fill %z, %x[%c4 for %c4] : i8 -> !r<external>{%c16}"
    copy = "stream.cmd.copy %x[%c4], %x[%c12], %c4 : !r<external>{%c16} -> !r<external>{%c16}"
    body = clear + MADE + region(FILL, half, copy) + RETURN
    assert known(ask, body) == "07000000 00000000 07000000 00000000"


BUILTIN = (
    "stream.cmd.dispatch @__builtin_splat_i64::@__builtin_splat_i64(SCALARS) "
    "{ wo %x[%c0 for %c16] : !r<external>{%c16} }"
)
PATTERN = "%p = arith.constant 258 : i64\n%c2 = arith.constant 2 : index\n"


def test_a_builtin_kernel(ask: Ask) -> None:
    kernel = BUILTIN.replace("SCALARS", "%p, %c2 : i64, index")
    body = PATTERN + MADE + region(FILL, kernel) + RETURN
    assert known(ask, body) == "02010000 00000000 02010000 00000000"


def test_a_builtin_kernel_that_a_pass_gave_more(ask: Ask) -> None:
    kernel = BUILTIN.replace("SCALARS", "%c8, %p, %c2 : index, i64, index")
    with pytest.raises(UnsupportedOperationError):
        returned(ask, PATTERN + MADE + region(kernel) + RETURN)


def test_a_builtin_kernel_beyond_its_binding(ask: Ask) -> None:
    kernel = BUILTIN.replace("SCALARS", "%p, %c4 : i64, index")
    with pytest.raises(OutOfBoundsError):
        returned(ask, PATTERN + MADE + region(kernel) + RETURN)


def test_a_kernel_is_known_by_its_bindings(ask: Ask) -> None:
    """The same kernel on the same bytes makes the same, wherever they are."""
    kernel = (
        "stream.cmd.dispatch @ex::@a_rn_n[%c4](%p7 : i32) "
        "{ ro %x[%c0 for %c8] : !r<external>{%c16}, wo %x[%c8 for %c8] : !r<external>{%c16} }"
    ).replace("a_rn_n", "a_ri32_n")
    body = MADE + region(FILL, kernel) + RETURN
    program = program_of(ask, module(body, results="!r<external>"))
    terms, interfaces = Terms(), Interfaces(program)
    (inputs,) = inputs_of(program)
    first, second = (run(program, inputs, terms, interfaces).outcome for _ in range(2))
    assert first == second
    (result,) = first.results
    assert isinstance(result.value, Content)
    assert [piece[2] for piece in result.value.pieces] == [8, 8]


CONSTANT = """
%k, %there = stream.resource.constants on(<@a>) :
  !r<constant>{%c16} = dense<[1, 2, 3, 4]> : tensor<4xi32> => !tp
%m = stream.resource.alloc uninitialized on(<@a>) : !r<external>{%c16}
"""
BOTH = "%m as %x: !r<external>{%c16}, %k as %y: !r<constant>{%c16}"
UPLOAD = "stream.cmd.copy %y[%c0], %x[%c0], %c16 : !r<constant>{%c16} -> !r<external>{%c16}"


def test_constants(ask: Ask) -> None:
    body = CONSTANT + region(UPLOAD, captures=BOTH) + RETURN
    assert known(ask, body) == "01000000 02000000 03000000 04000000"


MAPPED = """
%buffer = util.buffer.constant : !util.buffer = DATA
%did, %k0 = stream.resource.try_map on(<@a>) %buffer[%c4] : !util.buffer -> i1, !r<constant>{%c16}
%now = stream.timepoint.immediate => !tp
%there, %k = scf.if %did -> (!tp, !r<constant>) {
  scf.yield %now, %k0 : !tp, !r<constant>
} else {
  %k1 = stream.resource.alloc uninitialized on(<@a>) : !r<constant>{%c16}
  %file = stream.file.constant on(<@a>) %buffer[%c4 for %c16] : !util.buffer{%c32} -> !stream.file
  %read = stream.file.read on(<@a>) await(%now) => %file[%c0_i64], %k1[%c0], %c16 :
      !stream.file -> !r<constant>{%c16} => !tp
  scf.yield %read, %k1 : !tp, !r<constant>
}
%m = stream.resource.alloc uninitialized on(<@a>) : !r<external>{%c16}
"""
DATA = "#util.composite<32xi8, [dense<[1, 2, 3, 4]> : tensor<4xi32>, dense<5> : vector<16xi8>]>"


@pytest.mark.parametrize(("data", "whole"), [(DATA, True), (DATA.replace("32xi8", "64xi8"), False)])
def test_a_constant_is_mapped_or_read(ask: Ask, data: str, whole: bool) -> None:
    """Both ways give the same bytes: sets of inputs take either."""
    body = MAPPED.replace("DATA", data) + region(UPLOAD, captures=BOTH) + RETURN
    program = program_of(ask, module(body, results="!r<external>"))
    runs = traces(program)
    assert len(runs) == 2
    values = [result.value for trace in runs for result in trace.outcome.results]
    assert [trace.events for trace in runs] == [(), ()]
    first, second = values
    assert isinstance(first, Content)
    assert isinstance(second, Content)
    assert first.known() == second.known()
    if whole:
        assert (first.known() or b"").hex(" ", 4) == "02000000 03000000 04000000 05050505"


def test_a_buffer_that_is_not_looked_into(ask: Ask) -> None:
    """Bytes that only have a name are the same under the same name."""
    body = MAPPED.replace("DATA", '"text"')
    program = program_of(
        ask, module(body + region(UPLOAD, captures=BOTH) + RETURN, results="!r<external>")
    )
    kinds = {type(trace.outcome.results[0].value) for trace in traces(program)}
    assert kinds == {Content}


def test_the_bytes_of_something_else(ask: Ask) -> None:
    mapped = (
        "%did, %k = stream.resource.try_map on(<@a>) %buffer[%c0] : "
        "!util.buffer -> i1, !r<external>{%c16}\nutil.return %k : !r<external>"
    )
    program = program_of(ask, module(mapped, "%buffer: !util.buffer", "!r<external>"))
    assert len(traces(program)) == 1


def test_loads_and_stores(ask: Ask) -> None:
    body = """
    %m = stream.resource.alloc uninitialized on(<@a>) : !r<staging>{%c16}
    %yes = arith.constant true
    stream.resource.store %p7, %m[%c4] : i32 -> !r<staging>{%c16}
    stream.resource.store %yes, %m[%c8] : i1 -> !r<staging>{%c16}
    %v = stream.resource.load %m[%c4] : !r<staging>{%c16} -> i32
    %f = stream.resource.load %m[%c8] : !r<staging>{%c16} -> i1
    %u = stream.resource.load %m[%c12] : !r<staging>{%c16} -> i32
    util.return %v, %f, %u : i32, i1, i32
    """
    (trace,) = traces(program_of(ask, module(body, results="i32, i1, i32")))
    first, second, _ = (result.value for result in trace.outcome.results)
    assert (first, second) == (7, 1)
    assert trace.outcome.undefined


def test_a_load_of_a_vector(ask: Ask) -> None:
    body = """
    %m = stream.resource.alloc uninitialized on(<@a>) : !r<staging>{%c16}
    %v = stream.resource.load %m[%c4] : !r<staging>{%c16} -> vector<2xi32>
    util.return
    """
    with pytest.raises(UnsupportedOperationError):
        traces(program_of(ask, module(body)))


def test_what_the_caller_passes_in(ask: Ask) -> None:
    """Memory whose size is known by its uses, and a buffer view."""
    body = """
    %x = stream.tensor.import on(<@a>) %view : !hal.buffer_view -> tensor<4xi32> in
        !r<external>{%c16}
    %one = stream.cmd.execute on(<@a>) with(%x as %i: !r<external>{%c16},
        %given as %o: !r<external>{%c16}) {
      stream.cmd.copy %i[%c0], %o[%c0], %c16 : !r<external>{%c16} -> !r<external>{%c16}
    } => !tp
    %w = stream.timepoint.await %one => %given : !r<external>{%c16}
    util.return %w : !r<external>
    """
    arguments = "%view: !hal.buffer_view, %given: !r<external>"
    program = program_of(ask, module(body, arguments, "!r<external>"))
    (trace,) = traces(program)
    (result,) = trace.outcome.results
    assert isinstance(result.value, Content)
    assert trace.events == ()
    ((source, _, length),) = result.value.pieces
    assert length == 16
    assert "argument 0" in str(source)


def test_an_import_of_what_is_no_argument(ask: Ask) -> None:
    body = """
    %null = util.null : !hal.buffer_view
    %x = stream.tensor.import on(<@a>) %null : !hal.buffer_view -> tensor<4xi32> in
        !r<external>{%c16}
    util.return
    """
    with pytest.raises(UnsupportedOperationError, match="no argument"):
        traces(program_of(ask, module(body)))


def test_functions_that_a_pass_adds_are_not_called(ask: Ask) -> None:
    outside = (
        "util.func public @added() -> index {\n%c = arith.constant 3 : index\n"
        "util.return %c : index\n}"
    )
    program = program_of(ask, module("util.return", outside=outside))
    written = program_of(ask, module("util.return"))
    (inputs,) = inputs_of(written)
    trace = run(program, inputs, Terms(), Interfaces(written))
    assert trace.outcome.results == ()


def test_packed_slices(ask: Ask) -> None:
    body = """
    %total, %first, %second, %third = stream.resource.pack on(<@a>)
        slices({[0, 1] = %c16, [1, 2] = %c64, [2, 3] = %c16}) : index
    %based, %fourth = stream.resource.pack offset(%c64) slices({[0, 0] = %c16}) : index
    util.return %total, %first, %second, %third, %based, %fourth :
        index, index, index, index, index, index
    """
    results = ", ".join(["index"] * 6)
    (trace,) = traces(program_of(ask, module(body, results=results)))
    found = [result.value for result in trace.outcome.results]
    assert found == [128, 0, 64, 0, 128, 64]


@pytest.mark.parametrize(
    ("slices", "offsets", "total"),
    [
        ([], (), 0),
        ([(0, 0, 4)], (0,), 64),
        ([(0, 1, 4), (2, 3, 4)], (0, 0), 64),
        ([(0, 1, 4), (1, 2, 4)], (0, 64), 128),
        # The smallest gap that is large enough.
        (
            [(0, 9, 64), (0, 1, 128), (0, 9, 64), (0, 1, 64), (0, 9, 64), (2, 9, 64)],
            (0, 64, 192, 256, 320, 256),
            384,
        ),
        ([(0, 9, 64), (0, 1, 64), (0, 9, 64), (2, 9, 65)], (0, 64, 128, 192), 320),
    ],
)
def test_packing(slices: list[tuple[int, int, int]], offsets: tuple[int, ...], total: int) -> None:
    assert packed(slices) == (offsets, total)
    assert (aligned(0), aligned(1), aligned(64), aligned(65)) == (0, 64, 64, 128)


@pytest.mark.parametrize(
    ("elements", "data"),
    [
        ("dense<[1, 2]> : tensor<2xi16>", "0100 0200"),
        ("dense<3> : vector<4xi8>", "0303 0303"),
        ("#util.composite<4xi8, [dense<1> : tensor<2xi8>, dense<2> : tensor<2xi8>,]>", "0101 0202"),
        ("#util.composite<0xi8, []>", ""),
        ("#util.composite<2xi8, [dense<> : tensor<0xi8>, dense<1> : tensor<2xi8>]>", "0101"),
    ],
)
def test_bytes_of_the_host(elements: str, data: str) -> None:
    content = host_content(elements, Terms())
    assert content is not None
    assert (content.known() or b"").hex(" ", 2) == data


def test_bytes_of_the_host_that_only_have_a_name() -> None:
    terms = Terms()
    assert host_content('"text"', terms) is None
    for items in ('"te,xt"', "dense<1> : tensor<8xi8>", "dense<true> : tensor<4xi1>"):
        content = host_content(f"#util.composite<4xi8, [{items}]>", terms)
        assert content is not None
        assert (content.length, content.known()) == (4, None)


PART = Part(Value("x", RESOURCES[Lifetime.TRANSIENT], 16), 0, 4)
BOTH_USES = Use.READ | Use.WRITE


@pytest.mark.parametrize(
    ("kernel", "uses", "expected", "told"),
    [
        ("ex::a_wro_tn", (Use.READ,) * 4, (BOTH_USES, Use.READ, Use.WRITE, Use.WRITE), True),
        ("ex::a_ri32_n", (Use.READ, Use.WRITE), (Use.READ, Use.WRITE), True),
        ("ex::a_ri32_n", (Use.READ,), (Use.READ,), False),
        ("ex::other", (BOTH_USES,), (BOTH_USES,), False),
    ],
)
def test_what_a_kernel_does_to_its_bindings(
    kernel: str, uses: tuple[Use, ...], expected: tuple[Use, ...], told: bool
) -> None:
    bindings = tuple(CommandBinding(PART, use) for use in uses)
    dispatch = CommandDispatch(
        identity="x", kernel=kernel, workload=(), scalars=(), bindings=bindings
    )
    assert uses_of(dispatch) == (expected, told)


def test_values_alone(ask: Ask) -> None:
    program = program_of(ask, module(MADE + region(FILL) + RETURN, results="!r<external>"))
    (inputs,) = inputs_of(program)
    terms, interfaces = Terms(), Interfaces(program)
    outcome = evaluate_commands(program, inputs, terms, interfaces)
    assert outcome == run(program, inputs, terms, interfaces).outcome
