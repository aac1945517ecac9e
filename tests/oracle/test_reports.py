"""Reports: what they say of whole, older, unfinished and damaged runs, in each of their forms."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from junitparser import JUnitXml
from reported import FINDINGS, HOSTILE, first_small, made_up_run
from test_cli import call

from gen.cell_space import cell_space
from oracle.campaigns.merging import merge
from oracle.campaigns.run_folder import JOURNAL, RunFolder, settings_of
from oracle.commands import commands
from oracle.corpus import default_corpus
from oracle.reports import exchange, plots
from oracle.reports.content import Report, ended, report_of
from oracle.reports.covering import coverage_map, recorded_cells
from oracle.reports.page import html, not_drawn
from oracle.reports.runs import read_runs
from reference.releases import RELEASES

NEWEST = RELEASES[-1]
NEW, MODEL, KNOWN = (one.fault.signature for one, _ in FINDINGS)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    made_up_run(tmp_path / "out")
    return tmp_path / "out"


def read(folder: Path) -> Report:
    return report_of(read_runs(folder), default_corpus())


class Elements(HTMLParser):
    """The elements of a page: tags with attributes, and the text of all but scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside not in ("script", "style"):
            self.text += data


def page_of(report: Report) -> Elements:
    return Elements(html(report, NEWEST, not_drawn("not here")))


# What a run says.


def test_a_whole_run_is_told_to_the_last_number(out: Path) -> None:
    report = read(out)
    assert report.problems == ()
    assert (report.programs, report.seconds) == (96, 120.0)
    assert [one.signature for one in report.findings] == [NEW, MODEL, KNOWN]
    assert [one.count for one in report.findings] == [2, 1, 9]
    assert [one.first_seen.seconds for one in report.findings] == [20.0, 30.0, 40.0]
    assert [one.first_seen.program for one in report.findings] == [8, 17, 26]
    assert report.findings[0].share == pytest.approx(2 / 96)
    assert [dict(one.releases) for one in report.findings[:2]] == [{"3.13.0": "shows"}] * 2
    assert report.by_verdict == [("agree", 84), ("rejected", 10), ("disagree", 2)]
    assert report.matrix == {
        "place-transfer-executions": {"disagree": (1, 2)},
        "refine-usage": {"rejected": (1, 1)},
        "schedule-execution": {"rejected": (1, 9)},
    }
    (run,) = report.runs
    assert run.curve is not None
    assert (run.curve[0], run.curve[-1]) == ((10.0, 8), (120.0, 96))
    assert ended(run) == "at its end"
    assert [(one.name, one.good, one.bad) for one in report.checks] == [
        ("accept", 96, 0), ("placement", 96, 0),
    ]  # fmt: skip
    assert report.verdict == "3 distinct causes: 1 new, 1 known, 1 model."


def test_a_run_that_was_killed_is_reported_from_its_journal(tmp_path: Path) -> None:
    run = made_up_run(tmp_path, end=False)
    with (run / JOURNAL).open("ab") as file:
        file.write(b"0badf00d {cut of")
    report = read(tmp_path)
    assert report.programs == 96
    assert report.problems == ()
    assert ended(report.runs[0]) == "not yet"
    assert "1 of 1 runs did not come to their end" in report.verdict
    assert read(run).programs == 96


def test_two_runs_of_one_folder_are_added_up(out: Path) -> None:
    made_up_run(out)
    report = read(out)
    assert len(report.runs) == 2
    assert report.programs == 192
    assert [one.count for one in report.findings] == [4, 2, 18]
    assert len(read(report.out / "runs" / report.runs[0].name).runs) == 1


def test_shards_that_were_merged_worked_at_the_same_time(tmp_path: Path) -> None:
    shards = [made_up_run(tmp_path / str(n), shard=(n, 2)).parent.parent for n in (1, 2)]
    merge(shards, tmp_path / "merged")
    report = read(tmp_path / "merged")
    assert report.problems == ()
    (run,) = report.runs
    assert run.programs == 192
    assert run.curve is not None
    assert run.curve == sorted(run.curve, key=lambda point: point[1])
    assert run.curve[-1] == (120.0, 192)
    assert plots.rate_and_causes(run) is not None
    assert [one.count for one in report.findings] == [4, 2, 18]
    assert [one.first_seen.seconds for one in report.findings] == [20.0, 30.0, 40.0]


def test_an_older_run_is_told_as_far_as_it_goes(tmp_path: Path) -> None:
    """Before runs had journals, one summary was left of each."""
    made_up_run(tmp_path / "new")
    (tmp_path / "runs").mkdir()
    (tmp_path / "new" / "findings").rename(tmp_path / "findings")
    told = {
        "programs": 500, "seconds": 10.0, "seed": 1, "profile": "nightly",
        "compiler": {"spec": "installed", "release": "3.12.0", "revision": None},
        "checks": {"accept": {"hold": 499, "broken": 1}},
        "findings": [{"signature": MODEL, "check": "accept", "verdict": "rejected",
                      "stage": "refine-usage", "state": "model", "count": 1, "first_seed": 7}],
    }  # fmt: skip
    (tmp_path / "runs" / "old.json").write_text(json.dumps(told))
    report = read(tmp_path)
    assert report.problems == ()
    assert report.programs == 500
    assert report.by_verdict is None
    assert recorded_cells(report.runs) is None
    by_signature = {one.signature: one for one in report.findings}
    assert by_signature[MODEL].count == 1
    # Other runs' findings lie there, too; nobody counted them.
    assert by_signature[KNOWN].count is None
    said = page_of(report).text
    assert "these runs do not say when what was done" in said
    assert "these runs did not count cells" in said
    assert said.count("not recorded") > 4


def test_a_damaged_part_is_named_and_the_rest_is_there(out: Path) -> None:
    good = read(out)
    made_up_run(out)
    (first, second) = sorted((out / "runs").iterdir())
    lines = (first / JOURNAL).read_bytes().splitlines(keepends=True)
    lines[3] = lines[3].replace(b"8", b"9")
    (first / JOURNAL).write_bytes(b"".join(lines))
    (found,) = (out / "findings").glob("placement*")
    (found / "verdict.json").write_text("{")
    (out / "runs" / "nothing").mkdir()
    report = read(out)
    assert [one.name for one in report.runs] == [second.name]
    assert report.programs == good.programs
    assert [one.signature for one in report.findings] == [NEW, MODEL, KNOWN]
    assert report.findings[0].program is None
    problems = "\n".join(report.problems)
    for part in (str(first / JOURNAL), "line 4", str(found / "verdict.json"), "nothing is empty",
                 f"the folder of a finding is gone or damaged: {NEW}"):  # fmt: skip
        assert part in problems
    assert "Not all could be read" in page_of(report).text


def test_corpus_entries_and_candidates_tell_what_a_cause_affects(out: Path) -> None:
    header = "// RUN: iree-opt %s\n// id: x\n// signature: {}\n// check: placement\n" \
             "// verdict: disagree\n// guilty-pass: p\n// affects: 3.11.0 not, 3.13.0 shows\n" \
             "// issue: javascript:alert(1)\n\nmodule {{}}\n"  # fmt: skip
    (out / "candidates").mkdir()
    (out / "candidates" / "one.mlir").write_text(header.format(NEW))
    report = read(out)
    assert dict(report.findings[0].releases) == {"3.11.0": "not", "3.13.0": "shows"}
    links = [attributes["href"] for tag, attributes in page_of(report).found if tag == "a"]
    assert all(link and link.startswith("#") for link in links)


def test_a_folder_without_runs_is_empty(tmp_path: Path) -> None:
    assert read(tmp_path).empty


# The page.


def test_nothing_of_others_is_markup(out: Path) -> None:
    first_small(out)
    page = page_of(read(out))
    assert [tag for tag, _ in page.found].count("script") == 1
    assert page.text.count(HOSTILE) > 4
    assert "// smaller" in page.text
    assert "A draft" in page.text
    outside = [
        attributes[name]
        for _, attributes in page.found
        for name in ("src", "href", "xlink:href", "action")
        if name in attributes
    ]
    assert all(one and one.startswith(("#", "data:")) for one in outside)


def test_the_map_has_every_cell_of_the_language_and_counts_all_hits(out: Path) -> None:
    counts = recorded_cells(read(out).runs)
    assert counts is not None
    found = coverage_map({**counts, "a cell of tomorrow": 3}, NEWEST)
    assert found.cells == len(cell_space(NEWEST))
    assert sum(one.hits for one in found.ops) == counts.total()
    assert 0 < found.touched < found.cells
    assert dict(found.unknown) == {"a cell of tomorrow": 3}
    squares = [one for op in found.ops for row in op.rows for one in row.squares]
    assert sum(one.hits is not None for one in squares) == found.cells
    assert sum(bool(one.hits) for one in squares) == found.touched
    assert all((one.level == 0) == (not one.hits) for one in squares)


def test_curves_take_the_colours_of_the_page(out: Path) -> None:
    report = read(out)
    drawn = plots.rate_and_causes(report.runs[0])
    assert drawn is not None
    root = ElementTree.fromstring(drawn)
    assert root.tag.endswith("svg")
    assert "currentColor" in drawn
    assert "var(--series-1)" in drawn
    assert not re.search(r"#0102\d\d", drawn)
    assert drawn == plots.rate_and_causes(report.runs[0])
    assert plots.stages(report.stages) is not None
    assert plots.stages({}) is None


# For other tools.


def test_junit_fails_what_nobody_knows_and_skips_what_is_known(out: Path) -> None:
    text = exchange.junit(read(out))
    (suite,) = JUnitXml.fromstring(text.encode())
    assert (suite.tests, suite.failures, suite.skipped, suite.errors) == (5, 2, 1, 0)
    failed = {case.name for case in suite if any(item.message for item in case.result)}
    assert {NEW, MODEL} <= failed
    (out / "findings" / "gone").mkdir()
    (suite,) = JUnitXml.fromstring(exchange.junit(read(out)).encode())
    assert suite.errors == 1


def test_a_job_summary_is_a_table_whatever_signatures_hold(out: Path) -> None:
    (found,) = (out / "findings").glob("*refine-usage*")
    verdict = json.loads((found / "verdict.json").read_text())
    (found / "verdict.json").write_text(json.dumps({**verdict, "signature": "a|b`c\nd"}))
    text = exchange.markdown(read(out), NEWEST)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    table = [line for line in rows if line.startswith(("| new", "| model", "| known"))]
    assert len(table) == 4  # The three that were counted, and the one that was renamed.
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 6 for line in table)
    assert "``a\\|b`c d``" in text
    assert f"<summary>new: {NEW}</summary>" in text
    outside = re.sub(r"```+text\n.*?\n```+", "", text, flags=re.DOTALL)
    assert "<script>" not in re.sub(r"`[^`]*`", "", outside)
    assert "cells of the language touched" in text


# The command.


def test_report_writes_all_forms_with_pictures(out: Path, tmp_path: Path) -> None:
    page, markdown, junit = (tmp_path / name for name in ("a.html", "a.md", "a.xml"))
    ended = call("report", out, "-o", page, "--markdown", markdown, "--junit", junit)
    assert ended.code == 0, ended.output + ended.errors
    assert str(page) in ended.output
    assert page.read_text().count('class="xc-timeline"') == 3
    assert markdown.read_text().startswith("## crosscurrent nightly against IREE 3.13.0")
    assert ElementTree.parse(junit).getroot().tag == "testsuites"


def in_process(*arguments: str | Path) -> tuple[int, str]:
    """The exit code, and all that was printed; quicker than a process of its own."""
    ended = CliRunner().invoke(commands, [str(argument) for argument in arguments])
    return ended.exit_code, ended.output


@pytest.mark.parametrize(
    ("folder", "said"), [("nowhere", "there is no folder"), (".", "holds no run and no finding")]
)
def test_report_of_nothing(tmp_path: Path, folder: str, said: str) -> None:
    code, told = in_process("report", tmp_path / folder)
    assert code == 2
    assert said in told
    assert not (tmp_path / "report.html").exists()


def test_report_of_a_damaged_run_shows_the_rest_and_fails(out: Path) -> None:
    (found,) = (out / "findings").glob("placement*")
    (found / "verdict.json").write_text("not JSON")
    code, told = in_process("report", out, "--no-pictures")
    assert code == 3
    assert "verdict.json is damaged" in told
    assert KNOWN in (out / "report.html").read_text()


def test_a_report_that_cannot_be_written_is_said(out: Path, tmp_path: Path) -> None:
    code, told = in_process("report", out, "--markdown", tmp_path / "nowhere" / "a.md")
    assert code == 2
    assert "--markdown: there is no folder" in told
    code, told = in_process("report", out, "--no-pictures", "-o", "/proc/report.html")
    assert code == 3
    assert "cannot write /proc/report.html" in told


def test_a_run_under_way_can_be_reported(out: Path) -> None:
    (path,) = (out / "runs").iterdir()
    run = RunFolder(path, settings_of(path))
    try:
        assert read(out).programs == 96
    finally:
        run.close()
