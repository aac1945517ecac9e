"""The reader: what the model knows comes back as it went in, all else is named."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from samples import (
    SEVEN,
    A,
    Ask,
    B,
    canonical,
    every_op,
    function,
    installed_rules,
    program,
    resource,
)

from oracle.reading.raw import Identities, RawOperation, location_name, origin, plain
from oracle.reading.reader import ReadProgram, read_program, transfer_sites
from reference.affinity import Affinity
from reference.ir import UnsupportedOperationError
from reference.ops import Clone, Constant, HostScalar, Return, Splat, Transfer
from reference.text import print_program
from reference.types import I1, INDEX, Lifetime, Literal, Value
from reference.verifier import verify

FIND = ["find", ["stream.async.transfer"]]
ON_A = "on(#hal.device.affinity<@dev_a>)"


def read(ask: Ask, text: str) -> ReadProgram:
    return read_program(ask(text, ["read"])[0])


def module(body: str, arguments: str = "", others: str = "") -> str:
    return f"""
      util.global private @dev_a : !hal.device
      {others}
      util.func public @main({arguments}) {{
        %c0 = arith.constant 0 : index
        %c16 = arith.constant 16 : index
        %c7 = arith.constant 7 : i32
        {body}
        util.return
      }}"""


def test_every_op_comes_back(ask: Ask) -> None:
    text = print_program(every_op())
    result = read(ask, text)
    assert result.complete
    assert canonical(print_program(result.program)) == canonical(text)
    assert verify(result.program) == ()
    again = read(ask, print_program(result.program)).program
    assert [type(op) for op in again.operations()] == [type(op) for op in every_op().operations()]
    (constant,) = (op for op in again.operations() if isinstance(op, Constant))
    assert constant.length == 16


def test_functions_come_back_in_order(ask: Ask) -> None:
    names = ("first", "second", "third")
    functions = tuple(
        function(
            Splat(identity=f"{name}_op", pattern=SEVEN, result=resource("x"), affinity=A), name=name
        )
        for name in names
    )
    hidden = replace(functions[1], public=False)
    whole = replace(program(), functions=(functions[0], hidden, functions[2]))
    result = read(ask, print_program(whole)).program
    assert tuple(item.name for item in result.functions) == names
    assert [item.public for item in result.functions] == [True, False, True]
    assert canonical(print_program(result)) == canonical(print_program(whole))


def test_an_argument_has_the_size_of_its_first_use(ask: Ask) -> None:
    text = module(
        f"%x = stream.async.clone {ON_A} %arg : !stream.resource<transient>{{%n}}"
        " -> !stream.resource<transient>{%n}",
        "%arg: !stream.resource<transient>, %n: index, %unused: !stream.resource<*>",
    )
    argument, length, unused = read(ask, text).program.functions[0].arguments
    assert argument.size == length
    assert unused.size is None


def test_ops_without_a_location_get_one_of_their_line(ask: Ask) -> None:
    splat = f"stream.async.splat {ON_A} %c7 : i32 -> !stream.resource<transient>{{%c16}}"
    first = f'%a = {splat} loc("same")'
    result = read(ask, module(f'{first}\n%b = {splat} loc("same")\n%c = {splat}')).program
    identities = [op.identity for op in result.operations()]
    assert identities[:3] == ["same", "same~2", "line10"]
    assert origin("same~2") == "same"
    again = read(ask, print_program(result)).program
    assert [op.identity for op in again.operations()] == identities


def test_fused_and_unknown_locations(ask: Ask) -> None:
    splat = f"stream.async.splat {ON_A} %c7 : i32 -> !stream.resource<transient>{{%c16}}"
    body = f'%a = {splat} loc(fused["one", "two"])\n%b = {splat} loc(unknown)'
    body += f'\n%c = {splat} loc(unknown)\n%d = {splat} loc("a\\"b")'
    identities = [op.identity for op in read(ask, module(body)).program.operations()]
    assert identities[:4] == ["one+two", "unknown", "unknown~2", "a_b"]


def test_transfers_have_the_first_claim_to_a_location() -> None:
    def at(name: str, kind: str) -> RawOperation:
        return {
            "name": kind, "location": name, "line": None, "operands": [], "results": [],
            "attributes": {}, "regions": [], "successors": [],
        }  # fmt: skip

    clone, transfer = at("op1", "stream.async.clone"), at("op1", "stream.async.transfer")
    claimed = at("op1~2", "stream.async.fill")
    identities = Identities([clone, transfer])
    taken = [identities.take(op) for op in (clone, claimed, transfer, transfer)]
    assert taken == ["op1~clone", "op1~2", "op1", "op1~3"]
    assert location_name(at("op1", "any")) == "op1"


def test_host_scalars_and_booleans(ask: Ask) -> None:
    body = """
      %t = arith.constant true
      %s = arith.addi %n, %c16 : index
      %q = arith.select %t, %s, %c0 : index
      %x = stream.async.dispatch @ex::@d(%t, %q) : (i1, index) -> !stream.resource<*>{%s}"""
    result = read(ask, module(body, "%n: index"))
    assert result.complete
    add, select, dispatch, _ = result.program.operations()
    assert isinstance(add, HostScalar)
    assert isinstance(select, HostScalar)
    assert select.inputs[0] == Literal(1, I1)
    assert dispatch.results[0].size == add.outputs[0]
    assert verify(result.program) == ()


def test_devices_keep_their_names(ask: Ask) -> None:
    others = """
      util.global private @dev_b = #hal.device.target<"local", {ordinal = 0 : index}, [
        #hal.executable.target<"vmvx", "x">]> : !hal.device
      stream.executable private @ex {}
      util.func private @elsewhere(%x: index) -> index"""
    result = read(ask, module("", others=others))
    assert result.complete
    assert result.program.devices == ("dev_a", "dev_b")
    assert [item.name for item in result.program.functions] == ["elsewhere", "main"]


UNSUPPORTED = {
    "scf.execute_region": module("scf.execute_region {\n scf.yield\n}"),
    "scf.for": module(
        "%one = arith.constant 1 : i32\nscf.for %i = %c7 to %c7 step %one : i32 {\n}"
    ),
    "stream.async.call": module(
        "%x = stream.async.call @kernel(%arg[%c0 to %c16 for %c16]) :"
        " (!stream.resource<*>{%c16}) -> !stream.resource<*>{%c16}",
        "%arg: !stream.resource<*>",
        "stream.async.func private @kernel(%arg: !stream.resource<*>) -> !stream.resource<*>",
    ),
    "stream.tensor.encode": module(
        "%x = stream.tensor.encode %s : tensor<4xi32> in !stream.resource<*>{%c16} -> "
        "tensor<4xi32> in !stream.resource<*>{%c16}",
        "%s: !stream.resource<*>",
    ),
    "util.null": module("%x = util.null : !stream.resource<*>"),
    "flow.tensor.encode": module(
        "%x = flow.tensor.encode %t : tensor<4xi32> -> tensor<4xi32>", "%t: tensor<4xi32>"
    ),
    "stream.async.constant": module(
        "%x = stream.async.constant : !stream.resource<constant>{%c16} ="
        " dense_resource<blob> : tensor<4xi32>"
    ),
    "stream.async.splat": module(
        "%x = stream.async.splat on(#hal.device.optimal<[#hal.device.affinity<@dev_a>,"
        " #hal.device.affinity<@dev_b>]>) %c7 : i32 -> !stream.resource<*>{%c16}"
    ),
    "stream.async.alloca": module(
        "%x = stream.async.alloca {stream.affinity = 1} : !stream.resource<*>{%c16}"
    ),
    "stream.async.dispatch": module(
        '%x = stream.async.dispatch @"a b"::@d() : () -> !stream.resource<*>{%c16}'
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_is_not_known_is_named(ask: Ask, name: str) -> None:
    known = """
      util.func public @known() {
        util.return
      }"""
    result = read(ask, UNSUPPORTED[name] + known)
    assert [item.name for item in result.program.functions] == ["known"]
    assert not result.complete
    (found,) = (item for item in result.unsupported if item.operation == name)
    assert found.function == "main"
    assert re.fullmatch(r"line \d+", found.place)
    assert str(found).startswith(f"{name} at {found.place} in @main: ")


def test_each_unknown_op_is_named(ask: Ask) -> None:
    body = """
      %a = util.null : !stream.resource<*> loc("here")
      %b = stream.async.clone %a : !stream.resource<*>{%c16} -> !stream.resource<*>{%c16}
      scf.execute_region {
        %c = stream.tensor.encode %b : tensor<4xi32> in !stream.resource<*>{%c16}
          -> tensor<4xi32> in !stream.resource<*>{%c16} loc("there")
        scf.yield
      }"""
    result = read(ask, module(body))
    assert [(item.operation, item.place) for item in result.unsupported] == [
        ("util.null", "here"),
        ("stream.tensor.encode", "there"),
        ("scf.execute_region", "line 11"),
    ]
    assert result.program.functions == ()


@pytest.mark.parametrize(
    ("text", "operation", "reason"),
    [
        ("module attributes {stream.affinity = 1} {}", "builtin.module", "stream.affinity"),
        ("module attributes {stream.topology = 1} {}", "builtin.module", "stream.topology"),
        (
            "module attributes {stream.affinity.default = 1} {}",
            "builtin.module",
            "stream.affinity.default 1",
        ),
        (
            "util.global private @g : tensor<2xindex>",
            "util.global",
            "a global of type tensor<2xindex>",
        ),
        ("util.global private @g {stream.other = 1} : i32", "util.global", "stream.other"),
        ("util.initializer attributes {stream.affinity = 1} { util.return }", "util.initializer",
         "stream.affinity"),
        ("util.func private @f() attributes {stream.affinity.default = 1}", "util.func",
         "stream.affinity.default 1"),
        ("stream.async.func private @f()", "stream.async.func", "outside of functions"),
        ('util.global private @"a b" : !hal.device', "util.global", "has to be quoted"),
        ('util.func public @"a b"() { util.return }', "util.func", "has to be quoted"),
        (
            "util.func public @f(%x: i32 {stream.affinity = 1}) { util.return }",
            "util.func",
            "stream.affinity",
        ),
    ],
)  # fmt: skip
def test_what_stands_around_ops_is_named(ask: Ask, text: str, operation: str, reason: str) -> None:
    result = read(ask, text)
    (found,) = result.unsupported
    assert found.operation == operation
    assert reason in found.reason


def test_an_op_of_another_shape_is_unsupported(ask: Ask) -> None:
    """As another release might have it: nothing that a worker tells makes the reader fail."""
    (raw,) = ask(print_program(every_op()), ["read"])
    operations = raw["regions"][0][0]["operations"][2]["regions"][0][0]["operations"]  # type: ignore[index]
    strange = 0
    for op in operations:
        if op["name"].startswith("stream."):
            op["operands"] = op["operands"][:-1]
            strange += 1
    result = read_program(raw)
    assert result.program.functions == ()
    assert len(result.unsupported) >= strange - 1


def test_attributes_as_plain_data() -> None:
    assert plain({"text": "#hal.device.affinity<@a, [0, 2]>"}) == Affinity("a", 0b101)
    assert plain({"text": "#stream.other"}) == "#stream.other"
    assert plain({"symbol": ["ex", "d"]}) == "@ex::@d"
    assert plain([{"integer": -1, "type": "index"}, True]) == (-1, True)
    assert plain({"integers": [1, 2], "type": "i32"}) == (1, 2)
    assert plain({"float": 1.5, "type": "f32"}) == 1.5
    assert plain({"type": "index"}) == INDEX
    assert plain({"unit": True}) is True
    with pytest.raises(UnsupportedOperationError):
        plain({"dictionary": {}})


def test_transfers_and_the_regions_that_hold_them(ask: Ask) -> None:
    if not installed_rules().explicit_transfer_execution:
        pytest.skip("this release has no on(…)")
    source = Splat(identity="op0", pattern=SEVEN, result=resource("x"), affinity=A)
    move = Transfer(
        identity="op1", source=source.result, result=resource("y", Lifetime.STAGING),
        source_affinity=A, target_affinity=B, explicit_affinity=B,
    )  # fmt: skip
    text = print_program(program(source, move, Return(identity="op2", values=(move.result,))))
    sites = transfer_sites(ask(text, FIND)[0])
    assert list(sites) == ["op1"]
    site = sites["op1"]
    assert (site.explicit, site.source, site.target) == (B, A, B)
    assert site.source_type == move.source.type
    assert site.result_type == move.result.type
    assert (site.in_region, site.region) == (False, None)
    schedule = ["run", "builtin.module(util.func(iree-stream-schedule-execution))"]
    scheduled = transfer_sites(ask(text, schedule, FIND)[1])["op1"]
    assert (scheduled.in_region, scheduled.region) == (True, B)
    assert scheduled.explicit is None


def test_copies_of_a_transfer_are_told_apart(ask: Ask) -> None:
    source = Splat(identity="op0", pattern=SEVEN, result=resource("x"), affinity=A)
    moves = [
        Transfer(
            identity="op1", source=source.result, result=resource(name), source_affinity=A,
            target_affinity=target,
        )
        for name, target in (("y", A), ("z", B))
    ]  # fmt: skip
    copy = Clone(identity="op1", source=source.result, result=resource("c"), affinity=A)
    text = print_program(program(source, copy, *moves))
    sites = transfer_sites(ask(text, FIND)[0])
    assert {identity: site.target for identity, site in sites.items()} == {"op1": A, "op1~2": B}
    whole = read(ask, text).program
    assert [op.identity for op in whole.operations()][:4] == ["op0", "op1~clone", "op1", "op1~2"]


def test_values_are_named_by_number(ask: Ask) -> None:
    names = [op.results for op in read(ask, print_program(every_op())).program.operations()]
    values: list[Value] = [value for results in names for value in results]
    assert all(re.fullmatch(r"v\d+", value.name) for value in values)
    assert len(set(values)) == len(values)
