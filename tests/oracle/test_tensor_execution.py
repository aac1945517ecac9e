"""`execution` on tensors, where ops share locations with what IREE's conversion adds for them."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from samples import A, Ask, B

from oracle.checks.base import Subject
from oracle.checks.execution import Execution
from oracle.examination import Examination
from oracle.examiner import Examiner, ExaminerSettings
from oracle.files import subject_from_text
from oracle.reading import scheduled
from oracle.reading.reader import read_program
from reference.contracts.regions import sites_by_origin
from reference.ops import Dispatch, Transfer
from reference.releases import release_rules

RELEASE = release_rules(importlib.metadata.version("iree-base-compiler"))[0]
LYING = Path(__file__).with_name("lying_regions.py")

MOVED = """
module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.global private @dev_c : !hal.device
  util.func public @NAME(%view: !hal.buffer_view) -> !hal.buffer_view {
    %given = hal.tensor.import on(#hal.device.affinity<@dev_a>) %view : !hal.buffer_view -> tensor<16xi8> loc("import")
    %first = flow.dispatch @ex::@one(%given) {stream.affinity = #hal.device.affinity<@dev_a>} : (tensor<16xi8>) -> tensor<16xi8> loc("first")
    %second = flow.dispatch @ex::@one(%first) {stream.affinity = #hal.device.affinity<@dev_b>} : (tensor<16xi8>) -> tensor<16xi8> loc("second")
    %shown = hal.tensor.export on(#hal.device.affinity<@dev_a>) %second : tensor<16xi8> -> !hal.buffer_view loc("export")
    util.return %shown : !hal.buffer_view
  }
}
"""  # noqa: E501
"""The conversion moves what `second` takes, as an op at its location."""


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    settings = ExaminerSettings(Path(sys.executable), timeout=60, worker_script=LYING)
    with Examiner(settings, [Execution()]) as started:
        yield started


def subject(examiner: Examiner, name: str) -> Subject:
    read = subject_from_text(examiner, MOVED.replace("NAME", name), RELEASE, RELEASE)
    assert read is not None
    assert read.unsupported == ()
    assert read.subject is not None
    assert read.subject.program is not None
    assert read.subject.program.tensors
    return read.subject


def examined(examiner: Examiner, name: str) -> Examination:
    (found,) = examiner.examine([subject(examiner, name)])
    assert (found.invalid, found.unsupported) == (None, ())
    return found


def test_what_conversion_adds_at_an_op_s_location_may_run_elsewhere(
    examiner: Examiner, ask: Ask
) -> None:
    assert examined(examiner, "main").faults == ()
    asked = subject(examiner, "main")
    _, answer = ask(asked.text, ["run", scheduled.pipeline(asked)], ["read"])
    sites = sites_by_origin(read_program(answer).program, lambda identity: identity.split("~")[0])
    assert {
        (type(site.operation), site.region.affinity) for site in sites["second"] if site.region
    } == {(Dispatch, B), (Transfer, A)}


@pytest.mark.parametrize(
    ("plant", "shape"),
    [
        ("wrong_affinity", "region-elsewhere/stream.async.dispatch"),
        ("lose_affinity", "region-without-affinity"),
        ("lose_op", "vanished/stream.async.dispatch"),
    ],
)
def test_a_dispatch_that_is_not_where_it_says_is_seen(
    examiner: Examiner, plant: str, shape: str
) -> None:
    (fault,) = examined(examiner, f"plant_{plant}").faults
    assert fault.signature.startswith(f"execution/schedule-execution/{shape}")
