"""IREE's own tests of change #24748, rewritten as programs of ours, asked of the real compiler.

The documented answers are those of place_transfer_executions.mlir and of the additions to
async_ops.mlir and async_folding.mlir.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from oracle.campaigns.lane import subject_of
from oracle.checks import CHECKS
from oracle.compiling import stages
from oracle.compiling.compiler import CompilerProcess, Outcome, Request
from oracle.examiner import Examiner, ExaminerSettings
from oracle.reading.reader import TransferSite, transfer_sites
from oracle.verdict import Verdict
from reference.affinity import Affinity
from reference.ir import Block, Function, Operation, Program, Region
from reference.ops import Export, Return, Transfer
from reference.releases import release_rules
from reference.text import print_program
from reference.types import BUFFER_VIEW, INDEX, RESOURCES, Lifetime, Value

A, B, C = (Affinity(f"device_{letter}") for letter in "abc")
SIZE = Value("size", INDEX, known=16)


def resource(name: str, lifetime: Lifetime) -> Value:
    return Value(name, RESOURCES[lifetime], SIZE)


SOURCE = resource("source", Lifetime.TRANSIENT)


def transfer(
    identity: str,
    source: Value,
    source_side: Affinity,
    target_side: Affinity,
    on: Affinity | None = None,
    lifetime: Lifetime = Lifetime.EXTERNAL,
) -> Transfer:
    return Transfer(
        identity=identity,
        source=source,
        result=resource(identity, lifetime),
        source_affinity=source_side,
        target_affinity=target_side,
        explicit_affinity=on,
    )


def program(*operations: Operation, devices: str = "ab", pinned: Affinity | None = None) -> Program:
    """Returns the last op's result, as a buffer view exported on `pinned` where that is given."""
    body = list(operations)
    returned = body[-1].results[0]
    if pinned is not None:
        view = Value("view", BUFFER_VIEW)
        body.append(
            Export(
                identity="export",
                source=returned,
                encoding="tensor<?xi8>",
                dimensions=(SIZE,),
                result=view,
                affinity=pinned,
            )
        )
        returned = view
    body.append(Return(identity="return", values=(returned,)))
    region = Region((Block(tuple(body), (SOURCE, SIZE)),))
    names = tuple(f"device_{letter}" for letter in devices)
    return Program(names, (Function("main", region, (returned.type,)),))


PINNED = program(transfer("moved", SOURCE, B, A), pinned=A)
UNPINNED = program(transfer("moved", SOURCE, B, A))
COMPATIBLE = program(transfer("moved", SOURCE, A, A), devices="a", pinned=A)
EXPLICIT = program(transfer("moved", SOURCE, B, A, on=A))
THIRD_DEVICE = program(transfer("moved", SOURCE, A, B, on=C), devices="abc")
_FIRST = transfer("first", SOURCE, B, A, lifetime=Lifetime.STAGING)
PRESERVED = program(_FIRST, transfer("second", _FIRST.result, A, A, on=A))


@pytest.fixture(scope="module")
def compiler() -> Iterator[CompilerProcess]:
    with CompilerProcess() as process:
        if process.release is None or stages.placement(process.release) is None:
            pytest.skip("this release has neither the placement pass nor on(…)")
        yield process


def sites(compiler: CompilerProcess, subject: Program, pipeline: str) -> dict[str, TransferSite]:
    steps = [("parse",), ("find", ["stream.async.transfer"])]
    if pipeline:
        steps.insert(1, ("run", pipeline))
    (answer,) = compiler.ask([Request(print_program(subject), steps)])
    assert answer.outcome is Outcome.OK, answer.describe()
    return transfer_sites(answer.results[-1])


@pytest.mark.parametrize(
    ("subject", "explicit"), [(PINNED, A), (UNPINNED, None), (COMPATIBLE, None)]
)
def test_place_transfer_executions(
    compiler: CompilerProcess, subject: Program, explicit: Affinity | None
) -> None:
    assert compiler.release is not None
    stage = stages.placement(compiler.release)
    assert stage is not None
    assert sites(compiler, subject, stage.pipeline)["moved"].explicit == explicit
    rules, _ = release_rules(compiler.release)
    with Examiner(ExaminerSettings(Path(sys.executable)), [CHECKS["placement"]]) as examiner:
        (examination,) = examiner.examine([subject_of(subject, rules, rules)])
    assert [judgement.verdict for judgement in examination.judgements] == [Verdict.AGREE]


@pytest.mark.parametrize(("subject", "explicit"), [(EXPLICIT, A), (THIRD_DEVICE, C)])
def test_async_ops(compiler: CompilerProcess, subject: Program, explicit: Affinity) -> None:
    site = sites(compiler, subject, "")["moved"]
    operation = subject.functions[0].entry.operations[0]
    assert isinstance(operation, Transfer)
    ends = (operation.source_affinity, operation.target_affinity)
    assert (site.explicit, site.source, site.target) == (explicit, *ends)


def test_async_folding_preserves_the_execution_affinity(compiler: CompilerProcess) -> None:
    (site,) = sites(compiler, PRESERVED, stages.CANONICALIZE.pipeline).values()
    assert (site.explicit, site.source, site.target) == (A, B, A)
