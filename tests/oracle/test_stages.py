"""The staged pipeline against the stock one of the installed release."""

import importlib.metadata
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from oracle.compiling import stages
from oracle.compiling.compiler import CompilerProcess, Outcome, Request

VERSION = importlib.metadata.version("iree-base-compiler")

PROGRAM = """module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.global private mutable @state = 7 : i32
  stream.executable private @ex {
    stream.executable.export public @add workgroups() -> (index, index, index) {
      %c1 = arith.constant 1 : index
      stream.return %c1, %c1, %c1 : index, index, index
    }
    builtin.module {
      func.func @add(%a: !stream.binding, %b: !stream.binding, %o: !stream.binding, %n: index) {
        return
      }
    }
  }
  util.func private @pick(%x: !stream.resource<*>, %size: index) -> !stream.resource<*> {
    util.return %x : !stream.resource<*>
  }
  util.func public @main(%flag: i1, %in: !stream.resource<external>, %value: i32)
      -> (!stream.resource<external>, i32) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %old = util.global.load @state : i32
    util.global.store %value, @state : i32
    %a = stream.async.transfer %in : !stream.resource<external>{%c16}
      from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>)
      !stream.resource<*>{%c16}
    %b = stream.async.splat on(#hal.device.affinity<@dev_b>) %value : i32
      -> !stream.resource<*>{%c16}
    %moved = stream.async.transfer %a : !stream.resource<*>{%c16}
      from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>)
      !stream.resource<*>{%c16}
    %picked = util.call @pick(%moved, %c16)
      : (!stream.resource<*>, index) -> !stream.resource<*>
    %sum = stream.async.dispatch on(#hal.device.affinity<@dev_b>)
      @ex::@add(%picked[%c0 to %c16 for %c16], %b[%c0 to %c16 for %c16], %c16)
      : (!stream.resource<*>{%c16}, !stream.resource<*>{%c16}, index) -> !stream.resource<*>{%c16}
    %chosen = scf.if %flag -> !stream.resource<*> {
      %f = stream.async.fill on(#hal.device.affinity<@dev_b>) %value, %sum[%c0 to %c16 for %c16]
        : i32 -> %sum as !stream.resource<*>{%c16}
      scf.yield %f : !stream.resource<*>
    } else {
      scf.yield %sum : !stream.resource<*>
    }
    %out = stream.async.transfer %chosen : !stream.resource<*>{%c16}
      from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>)
      !stream.resource<external>{%c16}
    util.return %out, %old : !stream.resource<external>, i32
  }
}
"""


@pytest.fixture(scope="module")
def process() -> Iterator[CompilerProcess]:
    with CompilerProcess(timeout=30) as started:
        yield started


def steps(taken: tuple[stages.Stage, ...]) -> tuple[tuple[str | bool, ...], ...]:
    return (("parse",), *(("run", stage.pipeline) for stage in taken), ("print", False))


def test_the_stages_together_are_the_stock_pipeline(
    process: CompilerProcess, tmp_path: Path
) -> None:
    tool = Path(sys.executable).with_name("iree-opt")
    if not tool.exists():
        pytest.skip("no iree-opt beside the interpreter")
    file = tmp_path / "program.mlir"
    file.write_text(PROGRAM)
    stock = subprocess.run(
        [tool, stages.STOCK_PIPELINE, file], capture_output=True, text=True, check=True
    )
    whole = stages.passes_through(VERSION, stages.pipeline(VERSION)[-1].name)
    staged, joined = process.ask(
        [
            Request(PROGRAM, steps(stages.pipeline(VERSION))),
            Request(PROGRAM, (("parse",), ("run", whole), ("print", False))),
        ]
    )
    assert staged.describe() == joined.describe() == "no failure"
    assert str(staged.results[-1]).strip() == stock.stdout.strip()
    assert joined.results[-1] == staged.results[-1]


def test_lean_cleanup_accepts_what_full_cleanup_accepts(process: CompilerProcess) -> None:
    (answer,) = process.ask([Request(PROGRAM, steps(stages.pipeline(VERSION, "lean")))])
    assert answer.outcome is Outcome.OK, answer.describe()
    assert "stream.cmd.execute" in str(answer.results[-1])


def test_a_release_has_every_pass_of_its_stages(process: CompilerProcess) -> None:
    extra = (stages.CANONICALIZE, stages.ANNOTATE_AFFINITIES, stages.VALIDATION)
    taken = (*stages.pipeline(VERSION), *extra)
    answers = process.ask([Request("module {}", steps((stage,))) for stage in taken])
    assert {stage.name: a.kind for stage, a in zip(taken, answers, strict=True) if a.kind} == {}


def test_before_placement_everything_has_its_lifetime(process: CompilerProcess) -> None:
    before = stages.before_placement(VERSION)
    (answer,) = process.ask([Request(PROGRAM, steps(before))])
    text = str(answer.results[-1])
    assert "!stream.resource<*>" not in text
    assert "stream.async.transfer" in text
    assert "stream.async.execute" not in text


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.13.0rc20261016", "v3.14", "3.9"])
def test_names_are_unique_and_placement_precedes_scheduling(version: str) -> None:
    names = [stage.name for stage in stages.pipeline(version)]
    assert len(set(names)) == len(names)
    before = [stage.name for stage in stages.before_placement(version)]
    asked = stages.placement(version) or stages.SCHEDULE_EXECUTION
    assert names[len(before)] == asked.name
    assert names[: len(before)] == before


@pytest.mark.parametrize(("version", "has"), [("3.9", 0), ("3.11.0", 0), ("3.12", 1), ("4.0", 1)])
def test_placement_exists_since_3_12(version: str, has: int) -> None:
    assert (stages.placement(version) is not None) == bool(has)
    names = [stage.name for stage in stages.pipeline(version)]
    assert names.count("place-transfer-executions") == has


def test_pipelines_of_several_stages() -> None:
    both = stages.joined("3.13", ("verify-async-access-ranges", "place-transfer-executions"))
    assert both == (
        "builtin.module(iree-stream-verify-async-access-ranges,"
        "iree-stream-place-transfer-executions)"
    )
    assert stages.passes_through("3.13", "parse") == ""
    first = stages.pipeline("3.13")[0]
    assert stages.passes_through("3.13", first.name) == first.pipeline
    with pytest.raises(KeyError):
        stages.joined("3.11", ("place-transfer-executions",))


def test_what_is_no_release() -> None:
    with pytest.raises(ValueError, match="not a release: newest"):
        stages.pipeline("newest")


def test_passes_one_by_one_and_together_again() -> None:
    both = (
        "builtin.module(func.func(a,b{x=1,2}),util.initializer(a,b{x=1,2}),util.func(a,b{x=1,2}),c)"
    )
    alone = stages.each_alone(both)
    functions = [one for one in alone if "util.func" in one]
    assert functions == ["builtin.module(util.func(a))", "builtin.module(util.func(b{x=1,2}))"]
    assert len(alone) == 7
    assert stages.in_one_short([*functions, alone[-1]]) == "builtin.module(util.func(a,b{x=1,2}),c)"
    assert stages.in_one_short([alone[-1], alone[-1]]) == "builtin.module(c,c)"
