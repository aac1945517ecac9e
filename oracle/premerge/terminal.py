"""What a pre-merge run found, on one screen."""

from __future__ import annotations

from collections.abc import Iterator

from oracle.premerge.report import Report
from oracle.premerge.sorting import Kind
from oracle.wording import counted

_SHOWN = {Kind.REGRESSED: 3, Kind.FIXED: 1, Kind.CHANGED: 2}
"""Differences of each kind that are told one by one; all are in the folder."""

_WIDTH = 100


def told(report: Report) -> str:
    """The summary: at most 24 lines, the answer last."""
    programs = report["programs"]
    sides = [f"{report[side]['spec']} (IREE {report[side]['release']}, rules of "
             f"{report[side]['rules']})" for side in ("baseline", "candidate")]  # fmt: skip
    lines = [
        f"{sides[0]} → {sides[1]}",
        f"{programs['corpus']} corpus + {programs['fresh']} fresh programs (profile "
        f"{report['profile']}, seed {report['seed']}), {programs['compared']} compared, "
        f"in {report['seconds']:.0f} s",
    ]
    if programs["screened"]:
        lines.append(
            f"{programs['screened']} fresh programs screened, {programs['same_ir']} become the "
            "same IR on both sides"
        )
    for kind, most in _SHOWN.items():
        lines += _kind(report, kind, most)
    lines += _slower(report)
    lines += _rest(report)
    lines.append(f"all of it: {report['folder']}")
    lines.append(_verdict(report))
    return "\n".join(line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…" for line in lines)


def _kind(report: Report, kind: Kind, most: int) -> Iterator[str]:
    found = [one for one in report["differences"] if one["kind"] == kind.value]
    expected = sum(one["expected"] is not None for one in found)
    said = f" ({expected} expected)" if expected else ""
    yield f"{kind.value:10} {len(found)}{said}"
    # What was expected is the least of what there is to tell.
    found.sort(key=lambda one: one["expected"] is not None)
    for one in found[:most]:
        shown = "" if kind is Kind.CHANGED or one["confirmed"] else ", NOT shown by stock tools"
        size = f"{one['ops']} ops{'' if one['reduced'] or kind is Kind.CHANGED else ' (unreduced)'}"
        known = ", known" if one["known"] else ""
        about = f"{counted(one['count'], 'program')}, {size}{known}{shown}"
        if kind is Kind.REGRESSED:
            yield f"  {one['signature']}"
            yield f"      {about}"
        else:
            yield f"  {one['count']:4} × {one['signature']}"
    if len(found) > most:
        yield f"  … and {len(found) - most} more"


def _slower(report: Report) -> Iterator[str]:
    found = report["slower"]
    if not report["measured"]:
        yield "slower     not measured"
        return
    worst = ", ".join(
        f"{one['stage']} ×{one['ratio']:.2f} ({one['low']:.2f} to {one['high']:.2f})"
        for one in found[:2]
    )
    yield f"slower     {len(found)} passes of {report['measured']} programs" + (
        f": {worst}" if worst else ""
    )


def _rest(report: Report) -> Iterator[str]:
    both = report["both_wrong"]
    known = sum(one["known"] is not None for one in both)
    yield f"both wrong {len(both)} causes, {known} of them known"
    programs = report["programs"]
    left_out = [f"{count} not parsed by the {side}'s release"
                for side, count in programs["unparsed"].items()]  # fmt: skip
    for what, count in (
        (f"corpus entries {_why_left(report)}", programs["corpus_left"]),
        ("not valid", programs["invalid"]),
        ("mishaps of ours", programs["mishaps"]),
        ("faults without an answer for the other side", len(programs["not_compared"])),
        ("differences that did not come again", len(report["unsteady"])),
    ):
        if count:
            left_out.append(f"{count} {what}")
    if left_out:
        yield f"left out:  {', '.join(left_out)}"
    if report["expected_unused"]:
        yield f"expected, but not met: {', '.join(report['expected_unused'])}"


def _why_left(report: Report) -> str:
    """Why a run did not come to all of the corpus."""
    if report["interrupted"]:
        return "since the run was interrupted"
    if report["failed"] is not None:
        return "since the run stopped early"
    return "for want of time"


def _verdict(report: Report) -> str:
    if report["interrupted"]:
        return "Interrupted; what was found is kept."
    if report["failed"] is not None:
        return f"Stopped early: {report['failed']}"
    bad = [
        one
        for one in report["differences"]
        if one["kind"] == Kind.REGRESSED.value and one["expected"] is None
    ]
    if bad:
        return f"{len(bad)} regressed: the candidate breaks what the baseline keeps."
    return "Nothing regressed."
