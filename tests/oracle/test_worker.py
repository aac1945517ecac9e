"""What the worker's verbs answer, asked in this process."""

from collections.abc import Callable
from typing import Any

import pytest

from oracle.compiling.answers import Json
from oracle.compiling.service import JsonObject
from oracle.compiling.worker import make_answerer
from oracle.compiling.workshops import Workshop

Ask = Callable[..., JsonObject]

PROGRAM = """module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @main(%size: index) -> !stream.resource<transient> {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32 loc("zero")
    %a = stream.async.splat on(#hal.device.affinity<@dev_a>) %zero : i32
      -> !stream.resource<transient>{%size} loc("op1")
    %b = stream.async.transfer %a : !stream.resource<transient>{%size}
      from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>)
      !stream.resource<transient>{%size} loc("op2")
    %c = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@d(%b[%c0 to %size for %size])
      : (!stream.resource<transient>{%size}) -> !stream.resource<transient>{%size} loc("op3")
    util.return %c : !stream.resource<transient>
  }
}
"""
CANONICALIZE = "builtin.module(util.func(canonicalize))"


@pytest.fixture(scope="module")
def ask() -> Ask:
    answer = make_answerer()

    def ask(text: str, *steps: list[Json], **more: Json) -> JsonObject:
        request: JsonObject = {"job": 7, "text": text, "steps": [["parse"], *steps], **more}
        return answer(request, lambda step: None)

    return ask


def results(reply: JsonObject) -> list[Any]:
    """What the steps after the parse gave: JSON, taken apart by the tests."""
    assert reply["failure"] is None
    told: Any = reply["results"]
    return list(told[1:])


def operations(read: Any) -> dict[str, Any]:
    """All ops in a `read`, by location or else by name."""
    found: dict[str, Any] = {}

    def collect(op: Any) -> None:
        found[str(op["location"] or op["name"])] = op
        for region in op["regions"]:
            for block in region:
                for inner in block["operations"]:
                    collect(inner)

    collect(read)
    return found


def test_a_reply_names_its_job_and_has_a_result_a_step(ask: Ask) -> None:
    reply = ask(PROGRAM, ["run", CANONICALIZE], ["verify"])
    assert reply["job"] == 7
    assert reply["results"] == [None, None, None]


def test_read_tells_values_types_and_attributes(ask: Ask) -> None:
    (read,) = results(ask(PROGRAM, ["read"]))
    ops = operations(read)
    assert ops["op2"]["operands"] == [ops["op1"]["results"][0][0], 0, 0]
    assert ops["op2"]["results"] == [[4, "!stream.resource<transient>"]]
    assert ops["op2"]["attributes"] == {
        "source_affinity": {"text": "#hal.device.affinity<@dev_a>"},
        "target_affinity": {"text": "#hal.device.affinity<@dev_b>"},
    }
    assert ops["op3"]["attributes"]["entry_points"] == [{"symbol": ["ex", "d"]}]
    assert ops["util.return"]["line"] == 14


def test_read_tells_every_form_of_attribute(ask: Ask) -> None:
    text = """module attributes {util.a = [1 : i8, -1 : index, true, 1.5 : f32, "s", @x, @x::@y,
      i32, {k = unit}, array<i64: 1, 2>, array<i1: true>, 0x7FC00000 : f32,
      affine_map<(d0) -> (d0)>]} {}
    """
    (read,) = results(ask(text, ["read"]))
    assert read["attributes"]["util.a"] == [
        {"integer": 1, "type": "i8"},
        {"integer": -1, "type": "index"},
        True,
        {"float": 1.5, "type": "f32"},
        "s",
        {"symbol": ["x"]},
        {"symbol": ["x", "y"]},
        {"type": "i32"},
        {"dictionary": {"k": {"unit": True}}},
        {"integers": [1, 2], "type": "i64"},
        {"integers": [1], "type": "i1"},
        {"text": "0x7FC00000 : f32"},
        {"text": "affine_map<(d0) -> (d0)>"},
    ]


def test_attributes_without_a_class_in_the_bindings_are_told_as_text(ask: Ask) -> None:
    dense = "dense<(1.000000e+00,2.000000e+00)> : tensor<2xcomplex<f32>>"
    text = f"""util.func private @f() attributes {{
        a = {dense}, b = [1, {dense}], c = {{x = {dense}}}, d = 5 : i32
    }} {{
      util.return
    }}"""
    (read,) = results(ask(text, ["read"]))
    attributes = operations(read)["util.func"]["attributes"]
    assert {name: attributes[name] for name in "abcd"} == {
        "a": {"text": dense},
        "b": {"text": f"[1, {dense}]"},
        "c": {"text": f"{{x = {dense}}}"},
        "d": {"integer": 5, "type": "i32"},
    }


def test_read_tells_blocks_and_successors(ask: Ask) -> None:
    text = """util.func private @f(%x: i1) {
      cf.cond_br %x, ^b(%x : i1), ^c
    ^b(%y: i1):
      util.return
    ^c:
      cf.br ^b(%x : i1)
    }"""
    (read,) = results(ask(text, ["read"]))
    ops = operations(read)
    assert ops["cf.cond_br"]["successors"] == [1, 2]
    assert ops["cf.br"]["successors"] == [1]
    blocks = ops["util.func"]["regions"][0]
    assert [block["arguments"] for block in blocks] == [[[0, "i1"]], [[1, "i1"]], []]


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        ('"op17"', {"location": "op17", "line": None}),
        ('"op17"("in.mlir":4:5)', {"location": "op17", "line": None}),
        ('"in.mlir":4:5', {"location": None, "line": 4}),
        ("unknown", {"location": None, "line": None}),
        ('fused["a", "b"]', {"location": None, "line": None, "locations": ["a", "b"]}),
        ('fused["a", "in.mlir":4:5]', {"location": "a", "line": None, "locations": ["a"]}),
        ('fused["i":4:5, "i":7:9]', {"location": None, "locations": ["line4", "line7"]}),
        ('fused["i":4:5, "i":4:9]', {"location": "line4", "line": None}),
        ('callsite("callee" at "caller")', {"location": "callee", "line": None}),
    ],
)
def test_locations(ask: Ask, spelling: str, expected: dict[str, Json]) -> None:
    text = f"util.func private @f() {{ util.return }} loc({spelling})"
    (found,) = results(ask(text, ["find", ["util.func"]]))
    op = found[0]
    assert expected.items() <= op.items()


def test_find_tells_what_an_op_lies_within(ask: Ask) -> None:
    text = """util.func private @f(%x: i1) {
      scf.if %x {
        %c = arith.constant 1 : i8 loc("inner")
      } loc("if")
      %d = arith.constant 2 : i8
      util.return
    }"""
    (found,) = results(ask(text, ["find", ["arith.constant"]]))
    inner, outer = found
    assert inner["result_types"] == ["i8"]
    names = ["scf.if", "util.func", "builtin.module"]
    assert [op["name"] for op in inner["within"]] == names
    assert [op["name"] for op in outer["within"]] == names[1:]
    assert inner["within"][0]["location"] == "if"


def test_print_and_digest(ask: Ask) -> None:
    plain, located, digest = results(ask(PROGRAM, ["print", False], ["print", True], ["digest"]))
    assert "loc(" not in str(plain)
    assert 'loc("op1")' in str(located)
    assert (
        digest == results(ask(PROGRAM, ["digest"]))[0] != results(ask("module {}", ["digest"]))[0]
    )


def test_a_reparsed_module_is_the_same(ask: Ask) -> None:
    before, _, after = results(ask(PROGRAM, ["print", True], ["reparse"], ["print", True]))
    assert before == after


def test_roundtrip_of_a_faithful_module(ask: Ask) -> None:
    assert results(ask(PROGRAM, ["roundtrip"])) == [None]


def test_resources_keep_their_names_from_program_to_program(ask: Ask) -> None:
    text = """module {
      util.global private @g = dense_resource<blob> : tensor<2xi32>
    }
    {-# dialect_resources: { builtin: { blob: "0x040000000100000002000000" } } #-}"""
    first = results(ask(text, ["roundtrip"], ["print", False]))
    assert first[0] is None
    assert "dense_resource<blob>" in str(first[1])
    assert results(ask(text, ["roundtrip"], ["print", False])) == first


@pytest.fixture
def misread(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Makes the worker read printed text with one word replaced by another."""
    parse = Workshop.parse

    def misread(old: str, new: str) -> None:
        def parse_otherwise(self: Workshop, text: str) -> object:
            return parse(self, text.replace(old, new) if "#loc" in text else text)

        monkeypatch.setattr(Workshop, "parse", parse_otherwise)

    return misread


def test_roundtrip_of_what_does_not_parse_again(
    ask: Ask, misread: Callable[[str, str], None]
) -> None:
    misread("util.return", "util.retrun")
    (told,) = results(ask(PROGRAM, ["roundtrip"]))
    assert "util.return" in told["before"]
    assert "util.retrun" in told["diagnostics"][0]["message"]


def test_roundtrip_of_what_reads_back_otherwise(
    ask: Ask, misread: Callable[[str, str], None]
) -> None:
    misread("op1", "forgotten")
    (told,) = results(ask(PROGRAM, ["roundtrip"]))
    assert 'loc("op1")' in told["before"]
    assert 'loc("forgotten")' in told["after"]


def test_other_dialects_on_request(ask: Ask) -> None:
    # What a text uses is loaded anyway.
    assert results(ask(PROGRAM, ["verify"], dialects=["builtin"])) == [None]


def failure(reply: JsonObject) -> tuple[int, str, Any]:
    """Step, kind and first diagnostic of a failure."""
    told: Any = reply["failure"]
    (first, *_) = told["diagnostics"]
    return told["step"], told["kind"], first


def test_a_parse_error_has_message_line_and_column(ask: Ask) -> None:
    step, kind, first = failure(ask("module {\n  util.retrun\n}"))
    assert (step, kind) == (0, "parse")
    assert "util.retrun" in str(first["message"])
    assert first["location"] == {"file": "-", "line": 2, "column": 3}


def test_what_does_not_verify_does_not_parse(ask: Ask) -> None:
    text = 'util.func @f(%x: i32) { util.return %x : i32 loc("op5") }'
    step, kind, first = failure(ask(text))
    assert (step, kind) == (0, "parse")
    assert first["location"] == {"name": "op5"}
    assert [note["severity"] for note in first["notes"]] == ["note"]


def test_a_pass_that_fails_tells_why(ask: Ask) -> None:
    text = """util.func public @f(%r: !stream.resource<external>) -> !stream.resource<external> {
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %c9 = arith.constant 9 : index
      %s = stream.async.slice %r[%c0 to %c9] : !stream.resource<external>{%c8}
        -> !stream.resource<external>{%c9} loc("op4")
      util.return %s : !stream.resource<external>
    }"""
    pipeline = "builtin.module(iree-stream-verify-async-access-ranges)"
    reply = ask(text, ["verify"], ["run", pipeline], ["read"])
    step, kind, first = failure(reply)
    assert (step, kind) == (2, "pass")
    assert "access range" in str(first["message"])
    assert first["location"] == {"name": "op4"}
    assert reply["results"] == [None, None]


def test_an_unknown_pass(ask: Ask) -> None:
    step, kind, first = failure(ask(PROGRAM, ["run", "builtin.module(no-such-pass)"]))
    assert (step, kind) == (1, "unknown-pass")
    assert "no-such-pass" in str(first["message"])


@pytest.mark.parametrize("step", [["nonsense"], ["perform", "x", []], ["_root"], ["run"], [], [1]])
def test_a_misspelt_step_is_an_answer(ask: Ask, step: list[Json]) -> None:
    assert failure(ask(PROGRAM, step))[:2] == (1, "internal")


def test_the_first_step_has_to_be_parse() -> None:
    reply = make_answerer()({"job": 1, "text": "", "steps": [["read"]]}, lambda step: None)
    assert failure(reply)[:2] == (0, "internal")


def test_a_failure_leaves_nothing_behind(ask: Ask) -> None:
    before = results(ask(PROGRAM, ["digest"]))
    ask("module {", ["read"])
    ask(PROGRAM, ["run", "builtin.module(no-such-pass)"])
    assert results(ask(PROGRAM, ["digest"])) == before
