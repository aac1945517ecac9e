"""Explanations: what they say, how differences are marked, and the picture that they draw."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from test_checks import RELEASE, barriers_in_a_row, needs_placement_pass, pinned, without_on
from test_cli import call, written

from oracle.checks import CHECKS
from oracle.checks.base import Confirmation, Subject
from oracle.commands import commands
from oracle.commands.options import open_compiler
from oracle.corpus import default_corpus
from oracle.examiner import Examiner, ExaminerSettings
from oracle.explain.comparison import compared, side_by_side
from oracle.explain.explanation import Explanation, Found, explain
from oracle.explain.picture import Panel, picture
from oracle.explain.views import Around, with_names
from oracle.explain.words import told
from oracle.files import subject_from_text
from oracle.verdict import State
from reference.ir import Program
from reference.releases import release_rules
from reference.text import print_program
from reference.timeline import Kind, Member, Piece, Timeline

SVG = "{http://www.w3.org/2000/svg}"
REORDERED = "a-dispatch-is-scheduled-after-the-copy-in-place-into-015aa1.mlir"
TWO_LIFETIMES = "refineusage-gives-source-and-result-of-a-slice-two-lifetimes.mlir"
BEFORE_ON = release_rules("3.11")[0]

LINES = st.text(alphabet="ab 1%{", max_size=6)
TEXTS = st.lists(LINES, max_size=6).map("\n".join)


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    settings = ExaminerSettings.of(open_compiler("installed").spec)
    with Examiner(settings, [CHECKS[name] for name in ("placement", "accept")]) as one:
        yield one


def subject_of(program: Program, rules: object = RELEASE) -> Subject:
    return Subject(print_program(program), program, rules, RELEASE, resolved=True)  # type: ignore[arg-type]


def explained(examiner: Examiner, subject: Subject) -> Explanation:
    (examination,) = examiner.examine([subject])
    found = [Found(fault, State.NEW, None, Confirmation(True, ("iree-opt program.mlir",), ""))
             for fault in examination.faults]  # fmt: skip
    return explain(examiner, subject, ("main",), found)


# What differs.


@given(TEXTS, TEXTS)
def test_a_comparison_loses_nothing_and_calls_equal_what_is_equal(one: str, other: str) -> None:
    rows = compared(one, other)
    for side, text in (("expected", one), ("actual", other)):
        lines = ["".join(segment.text for segment in getattr(row, side))
                 for row in rows if getattr(row, side) is not None]  # fmt: skip
        assert lines == text.splitlines()
    assert all(row.same for row in rows) == (one.splitlines() == other.splitlines())


def test_words_that_differ_are_marked_below() -> None:
    rows = compared("op1 executes on @dev_a\nsame", "op1 executes on @dev_b\nsame\nmore")
    assert side_by_side(rows, 60) == [
        "expected                     │ actual",
        "op1 executes on @dev_a       │ op1 executes on @dev_b",
        "                ^^^^^^       │                 ^^^^^^",
        "same                         │ same",
        "                             │ more",
        "                             │ ^^^^",
    ]
    assert side_by_side(rows, 30) == [
        "(- expected, + actual)",
        "- op1 executes on @dev_a",
        "                  ^^^^^^",
        "+ op1 executes on @dev_b",
        "                  ^^^^^^",
        "  same",
        "+ more",
    ]


# The picture.


def piece(number: int, kind: Kind, *names: str, awaits: tuple[int, ...] = (), step: int) -> Piece:
    waves = tuple((Member("splat", name),) for name in names)
    on_host = kind is Kind.WAIT
    return Piece(number, kind, str(number), None, on_host, waves, awaits, None, step)


def test_a_picture_has_a_box_for_each_piece_and_an_arrow_for_each_wait() -> None:
    timeline = Timeline("@main", (
        piece(1, Kind.REGION, "op1", "op2", step=1),
        piece(2, Kind.REGION, "op3", awaits=(1,), step=2),
        piece(3, Kind.WAIT, "op4", awaits=(1, 2), step=3),
    ))  # fmt: skip
    root = ElementTree.fromstring(picture([Panel("<@main> & more", timeline)], {"op3"}))
    classes = [item.get("class", "").split() for item in root.iter(f"{SVG}rect")]
    assert sum("region" in item for item in classes) == 2
    assert sum("host" in item for item in classes) == 1
    assert sum("lane" in item for item in classes) == 2
    assert sum("fault" in item for item in classes) == 1
    assert sum(item.get("class") == "arrow" for item in root.iter(f"{SVG}path")) == 3
    texts = [item.text or "" for item in root.iter(f"{SVG}text")]
    assert "<@main> & more" in texts
    assert "op3 splat ◀" in texts
    assert "op1 splat" in texts


def test_boxes_of_a_picture_do_not_overlap_and_time_goes_down() -> None:
    pieces = [piece(number, Kind.REGION, *["op"] * number, step=1 + number % 3)
              for number in range(1, 9)]  # fmt: skip
    root = ElementTree.fromstring(picture([Panel("", Timeline("", tuple(pieces)))]))
    boxes = [
        tuple(float(item.get(key, 0)) for key in ("x", "y", "width", "height"))
        for item in root.iter(f"{SVG}rect")
        if "region" in item.get("class", "")
    ]
    assert len(boxes) == 8
    for (_, y, _, height), (_, other, _, other_height) in itertools.combinations(boxes, 2):
        assert y + height <= other or other + other_height <= y
    lowest = {step: max(y for one, (_, y, _, _) in
                        zip(sorted(pieces, key=lambda p: p.step), sorted(boxes, key=lambda b: b[1]),
                            strict=True) if one.step == step) for step in (1, 2, 3)}  # fmt: skip
    assert lowest[1] < lowest[2] < lowest[3]


def test_an_empty_picture_is_a_picture() -> None:
    assert ElementTree.fromstring(picture([])).tag == f"{SVG}svg"


# A module as text.


def test_ops_keep_the_names_of_their_locations_or_else_their_lines() -> None:
    named = '%0 = a loc(#loc1)\n%1 = b loc(#loc2)\n#loc1 = loc("op1"("x":1:2))\n' \
            '#loc2 = loc(fused["op2", "op3"])'  # fmt: skip
    assert with_names(named) == "%0 = a   // op1\n%1 = b   // op2+op3"
    lines = '%0 = a loc(#loc1)\n#loc1 = loc("a/file.mlir":7:2)'
    assert with_names(lines) == "%0 = a   // line7"


# Explanations of real programs.


@needs_placement_pass
def test_every_op_is_told_with_its_place_and_the_rule_that_puts_it_there(
    examiner: Examiner,
) -> None:
    found = explained(examiner, subject_of(pinned()))
    assert {(one.identity, one.executes, one.reason) for one in found.places["@main"]} == {
        ("op0", "@dev_a", "its own on(…)"),
        (
            "op1",
            "@dev_b",
            "the result is pinned to a device that its own side would not execute on: moved there",
        ),
        ("op2", "@dev_b", "its own on(…)"),
    }
    (moved,) = (one for one in found.places["@main"] if one.identity == "op1")
    (home,) = moved.results
    assert (home.lifetime, home.pinned) == ("external", home.resource)
    assert isinstance(found.folds, tuple)
    assert [(one.identity, one.fate) for one in found.folds] == [("op1", "stays")]
    assert not found.schedules.differing()
    assert [panel.title for panel in found.panels()] == ["@main: scheduled"]


@needs_placement_pass
def test_a_fault_is_explained_by_what_differs_and_what_its_pass_changes(
    examiner: Examiner,
) -> None:
    """The rules of before the placement pass are wrong for this compiler."""
    subject = subject_of(pinned(), BEFORE_ON)
    found = explained(examiner, subject)
    (finding,) = found.findings
    assert finding.at_fault == {"op1"}
    assert not finding.rows[0].same
    assert isinstance(finding.around, Around)
    changes = finding.around.changes()
    gone = [line.text for line in changes if line.sign == "-"]
    new = [line.text for line in changes if line.sign == "+"]
    assert [("op1" in line, "on(#hal" in line) for line in gone] == [(True, False)]
    assert [("op1" in line, "on(#hal" in line) for line in new] == [(True, True)]
    said = "\n".join(told(found, 120))
    assert "guilty pass: place-transfer-executions" in said
    assert "what place-transfer-executions changes" in said
    assert "iree-opt program.mlir" in said
    assert re.search(r"◀ op1 +stream.async.transfer", said)


def test_a_program_that_is_refused_is_shown_as_it_was_before(examiner: Examiner) -> None:
    found = explained(examiner, subject_of(barriers_in_a_row()))
    (finding,) = found.findings
    assert isinstance(finding.around, Around)
    assert finding.around.after is None
    assert finding.around.failure
    assert "which then fails" in finding.around.heading
    # The compiler points at the function, which is no op.
    assert finding.at_fault == frozenset()
    assert found.schedules.actual_note
    assert found.panels() == ()
    assert "nothing is submitted to a device" in "\n".join(told(found, 100))


@needs_placement_pass
def test_the_ops_that_the_compiler_itself_points_at_are_at_fault(examiner: Examiner) -> None:
    text = (default_corpus() / "known" / TWO_LIFETIMES).read_text()
    read = subject_from_text(examiner, text, RELEASE, RELEASE)
    assert read is not None
    assert read.subject is not None
    assert read.subject.program is not None
    found = explained(examiner, read.subject)
    (finding,) = found.findings
    assert isinstance(finding.around, Around)
    assert finding.around.failure
    assert finding.at_fault
    assert finding.at_fault <= {one.identity for one in read.subject.program.operations()}
    assert "◀" in "\n".join(told(found, 120))


def test_the_model_and_the_compiler_have_the_same_timeline(examiner: Examiner) -> None:
    found = explained(examiner, subject_of(without_on()))
    assert [one.name for one in found.schedules.expected] == ["@main"]
    assert len(found.schedules.expected[0].pieces) == len(found.schedules.actual[0].pieces) == 2
    assert not found.schedules.differing()


@needs_placement_pass
def test_another_schedule_of_the_compiler_is_seen(examiner: Examiner) -> None:
    """What is left out of the compiler's answer is missing in the comparison."""
    found = explained(examiner, subject_of(without_on())).schedules
    (actual,) = found.actual
    less = replace(found, actual=(replace(actual, pieces=actual.pieces[:-1]),))
    assert less.differing() == {"@main"}
    assert [panel.title for panel in less.panels()] == [
        "@main: what the compiler did",
        "@main: expected",
    ]


# The command.


@needs_placement_pass
def test_check_explains_and_draws(tmp_path: Path) -> None:
    file, drawn = default_corpus() / "known" / REORDERED, tmp_path / "timeline.svg"
    ended = call("check", file, "--checks", "value", "--explain", "-o", drawn, COLUMNS="160")
    assert ended.code == 0, ended.output + ended.errors
    for said in (
        "where ops execute and values live, and why",
        "what the first canonicalize makes of transfers",
        "execution regions, waits and waves",
        "guilty pass: schedule-execution",
        "ops at fault:",
        "what schedule-execution changes",
        "iree-opt",
    ):
        assert said in ended.output
    assert "\x1b" not in ended.output
    root = ElementTree.parse(drawn).getroot()
    assert any("fault" in item.get("class", "") for item in root.iter(f"{SVG}rect"))


def test_a_file_that_the_model_does_not_know_whole_is_explained_as_far_as_it_goes(
    tmp_path: Path,
) -> None:
    text = """
    util.func public @odd(%which: index, %size: index) -> index {
      %0 = scf.index_switch %which -> index
      case 2 {
        scf.yield %size : index
      }
      default {
        scf.yield %which : index
      }
      util.return %0 : index
    }
    """
    file = written(tmp_path, text)
    ended = CliRunner().invoke(commands, ["check", str(file), "--checks", "accept", "--explain"])
    assert ended.exit_code in (0, 2), ended.output
    assert "the model does not know" in ended.output


def test_a_picture_that_cannot_be_written_is_said_first(tmp_path: Path) -> None:
    drawn = tmp_path / "nowhere" / "a.svg"
    ended = CliRunner().invoke(commands, ["check", "x.mlir", "--timeline", str(drawn)])
    assert ended.exit_code == 2
    assert "--timeline: there is no folder" in ended.output
