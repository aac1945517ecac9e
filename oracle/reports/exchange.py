"""A report in the forms that CI systems read: Markdown for a job summary, JUnit XML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from oracle.reports.content import Report, first_told, seconds_told
from oracle.reports.covering import coverage_map, recorded_cells
from oracle.reports.findings import ReportedFinding
from oracle.verdict import State
from oracle.wording import counted
from reference.releases import Release

_MOST_FINDINGS = 40
"""A job summary takes 1 MiB; who wants all of it opens the page."""
_MOST_CHARACTERS = 4000
_BACKTICKS = re.compile(r"`+")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def markdown(report: Report, release: Release) -> str:
    """The report for a job summary: totals, then what nobody knows yet in full, then the rest."""
    return "\n".join(_markdown(report, release)) + "\n"


def junit(report: Report) -> str:
    """One suite. A finding that nobody knows fails, a known one is skipped, a check that found
    nothing new passes; what could not be read, and programs that are not valid, are errors."""
    suite = TestSuite(_xml(report.title))
    for check in report.checks:
        passed = TestCase(check.name, classname="crosscurrent.checks")
        passed.system_out = f"{check.good} good, {check.bad} bad"
        suite.add_testcase(passed)
    for finding in report.findings:
        case = TestCase(_xml(finding.signature), classname=f"crosscurrent.{_xml(finding.check)}")
        if finding.state in (State.KNOWN, State.BY_DESIGN):
            case.result = [Skipped(_xml(f"{finding.state}: {finding.known or 'no entry'}"))]
        else:
            failure = Failure(_xml(finding.message or finding.signature), finding.verdict)
            failure.text = _xml(_words(finding))
            case.result = [failure]
        suite.add_testcase(case)
    for problem in _problems(report):
        case = TestCase(_xml(problem), classname="crosscurrent.run")
        case.result = [Error(_xml(problem))]
        suite.add_testcase(case)
    suite.time = round(report.seconds, 3)
    whole = JUnitXml()
    whole.add_testsuite(suite)
    tostring: Callable[[], bytes] = whole.tostring
    return tostring().decode("utf-8")


def _problems(report: Report) -> Iterator[str]:
    yield from report.problems
    for run in report.runs:
        if run.summary.get("failed"):
            yield f"run {run.name} failed: {run.summary['failed']}"
    if report.total("invalid"):
        yield f"{report.total('invalid')} programs were not valid"
    if report.total("mishaps"):
        yield f"crosscurrent itself went wrong on {counted(report.total('mishaps'), 'program')}"


def _markdown(report: Report, release: Release) -> Iterator[str]:
    yield f"## {_plain(report.title)}"
    yield ""
    yield _plain(report.verdict)
    yield ""
    for problem in report.problems:
        yield f"> **Not read:** {_plain(problem)}"
        yield ""
    rate = f"{report.programs / report.seconds:.1f}" if report.seconds else "not recorded"
    yield "| programs | time | programs/s | new | model | known | not valid |"
    yield "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    states = report.states
    yield (
        f"| {report.programs} | {seconds_told(report.seconds)} | {rate} | {states[State.NEW]} | "
        f"{states[State.MODEL]} | {states[State.KNOWN]} | {report.total('invalid')} |"
    )
    if report.total("mishaps"):
        yield ""
        yield f"> crosscurrent itself went wrong on {counted(report.total('mishaps'), 'program')}."
    counts = recorded_cells(report.runs)
    if counts is not None:
        found = coverage_map(counts, release)
        yield ""
        yield f"{found.touched} of {found.cells} cells of the language touched."
    yield ""
    if report.findings:
        yield "| state | count | first seen | releases | signature |"
        yield "| --- | ---: | --- | --- | --- |"
        yield from map(_row, report.findings[:_MOST_FINDINGS])
        more = len(report.findings) - _MOST_FINDINGS
        if more > 0:
            yield ""
            yield f"and {more} findings more."
    for finding in report.fresh[:_MOST_FINDINGS]:
        yield ""
        yield f"<details><summary>{finding.state}: {_html(finding.signature)}</summary>"
        yield ""
        yield from _fenced(_words(finding))
        yield "</details>"


def _row(finding: ReportedFinding) -> str:
    count = "not recorded" if finding.count is None else str(finding.count)
    releases = ", ".join(f"{name} {word}" for name, word in finding.releases.items())
    cells = (
        _plain(finding.state),
        count,
        _plain(first_told(finding.first_seen) or "not recorded"),
        _plain(releases or "not recorded"),
        _code(finding.signature),
    )
    return f"| {' | '.join(cells)} |"


def _words(finding: ReportedFinding) -> str:
    """A finding in full, for people."""
    parts = {
        "": finding.message,
        "expected:": finding.expected,
        "actual:": finding.actual,
        "the program:": finding.program or "",
        "stock commands:": finding.commands,
    }
    told = "\n".join(
        "\n".join(filter(None, (title, part.rstrip("\n")))) for title, part in parts.items() if part
    )
    told = told or "nothing more is recorded"
    if len(told) > _MOST_CHARACTERS:
        told = f"{told[:_MOST_CHARACTERS]}\n… more in {finding.folder}"
    return told


def _fenced(told: str) -> Iterator[str]:
    longest = max((len(match) for match in _BACKTICKS.findall(told)), default=0)
    fence = "`" * max(longest + 1, 3)
    yield f"{fence}text"
    yield told
    yield fence


def _code(told: str) -> str:
    """Text in a table's cell that is shown as it is."""
    longest = max((len(match) for match in _BACKTICKS.findall(told)), default=0)
    fence = "`" * (longest + 1)
    blank = " " if told.startswith("`") or told.endswith("`") else ""
    escaped = " ".join(told.split()).replace("|", "\\|")
    return f"{fence}{blank}{escaped}{blank}{fence}"


def _plain(told: str) -> str:
    """Text in which nothing is markup, in one line."""
    escaped = re.sub(r"([\\`*_{}\[\]<>#|!~])", r"\\\1", " ".join(told.split()))
    return escaped.replace("&", "&amp;")


def _html(told: str) -> str:
    return " ".join(told.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _xml(told: str) -> str:
    """Text without what XML cannot hold at all."""
    return _NOT_XML.sub("\ufffd", told)
