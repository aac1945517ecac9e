"""A run folder as `fuzz` leaves it, made up: what it says is known to the last number."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

from gen.coverage import cells
from gen.profiles import PROFILES
from gen.programs import program
from oracle.campaigns.counts import BlockRecord, Cause
from oracle.campaigns.findings import Finding, FindingsFolder
from oracle.campaigns.run_folder import RunFolder
from oracle.campaigns.run_settings import RunSettings
from oracle.checks.base import Confirmation
from oracle.verdict import Fault, State, Verdict

HOSTILE = "<script>document.title='broken'</script>"
PROGRAM = """module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @main() -> !stream.resource<external> {
    %c16 = arith.constant 16 : index
    %c7 = arith.constant 7 : i32
    %0 = stream.async.splat on(#hal.device.affinity<@dev_a>) %c7 : i32 -> !stream.resource<transient>{%c16} loc("op0")
    %1 = stream.async.transfer %0 : !stream.resource<transient>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<external>{%c16} loc("op1")
    util.return %1 : !stream.resource<external> loc("op2")
  }
}
"""  # noqa: E501

SETTINGS = RunSettings(
    crosscurrent="0.1.0", programs="-", seed=7, profile="nightly", checks=("accept", "placement"),
    compiler={"spec": "installed", "release": "3.13.0", "revision": "89ece87b"}, rules="3.13",
    examples=100, seconds=None, shard=(1, 1), timeout=5.0, memory=4096, block=8, known={},
)  # fmt: skip


def fault(check: str, stage: str, word: str, verdict: Verdict) -> Fault:
    return Fault(
        check=check, verdict=verdict, stage=stage, shape=(word,),
        message=f"op1 is wrong: {HOSTILE}", expected="op1 executes on @dev_a\nthe rest",
        actual="op1 executes on @dev_b\nthe rest", stock_arguments=(),
    )  # fmt: skip


def finding(check: str, stage: str, word: str, state: State, ops: int = 3) -> Finding:
    verdict = Verdict.DISAGREE if check == "placement" else Verdict.REJECTED
    return Finding(
        fault=fault(check, stage, word, verdict), state=state, level="resolved", first_seed=0,
        text=PROGRAM, ops=ops, known="an-entry" if state is State.KNOWN else None,
        confirmation=Confirmation(state is not State.MODEL, ("iree-opt program.mlir",), HOSTILE),
    )  # fmt: skip


FINDINGS = (
    (finding("placement", "place-transfer-executions", "a-new-one", State.NEW, 12), 2),
    (finding("accept", "refine-usage", f"not-{HOSTILE}", State.MODEL, 4), 1),
    (finding("accept", "schedule-execution", "often-met", State.KNOWN, 30), 10),
)
"""Findings, and how many programs met each."""


def made_up_run(out: Path, *, end: bool = True, shard: tuple[int, int] = (1, 1)) -> Path:
    """A run, or a shard of one, of 96 programs in twelve blocks, ten seconds each. Returns its
    folder."""
    settings = replace(SETTINGS, shard=shard)
    run = RunFolder.create(out, settings)
    folder = FindingsFolder(out)
    for block in range(12):
        record = BlockRecord(shard=shard[0], block=block, at=10.0 * (block + 1), programs=8)
        record.verdicts = Counter({("accept", "agree"): 8, ("placement", "agree"): 8})
        counted: Counter[str] = Counter()
        for index in range(8):
            counted.update(map(str, cells(program(1, 8 * block + index, PROFILES["nightly"]))))
        record.cells = counted
        for place, (one, count) in enumerate(FINDINGS):
            signature = one.fault.signature
            if block == place + 1:
                kept = folder.record(one, settings.facts(), run.name)
                record.causes.append(
                    Cause(
                        signature,
                        one.fault.check,
                        one.fault.verdict.value,
                        one.fault.stage,
                        one.state,
                        one.level,
                        one.ops,
                        one.known,
                        kept.name,
                    )
                )
            if block > place and block - place <= count:
                record.found.append((signature, (8 * block + place) * shard[1] + shard[0] - 1))
        run.journal.block(record)
    if end:
        run.journal.end()
    run.close()
    return run.path


def first_small(out: Path) -> None:
    """The first finding's program, reduced, and a draft of a report."""
    (found,) = (out / "findings").glob("placement*")
    (found / "reduced.mlir").write_text("// smaller\n" + PROGRAM)
    (found / "report.md").write_text(f"# A draft {HOSTILE}\n")
    verdict = json.loads((found / "verdict.json").read_text())
    verdict["reduction"] = {"ops": 2, "why": None}
    (found / "verdict.json").write_text(json.dumps(verdict))
