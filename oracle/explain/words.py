"""An explanation as text for the terminal."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from oracle.explain.comparison import side_by_side
from oracle.explain.explanation import ExplainedFinding, Explanation
from oracle.explain.placing import Home, named
from oracle.explain.views import Around
from oracle.reading.raw import origin
from reference.timeline import Kind, Member, Piece, Timeline, lane

_MOST_CHANGES = 120
"""Lines of what a pass changed that are shown at most."""


def told(explanation: Explanation, width: int) -> list[str]:
    """The explanation in lines; `width` is that of the terminal, in characters."""
    names = ", ".join(f"@{name}" for name in explanation.functions) or "the module"
    lines = [f"{names} explained", ""]
    for title, part in (
        ("where ops execute and values live, and why", _places(explanation)),
        ("what the first canonicalize makes of transfers", _folds(explanation)),
        ("execution regions, waits and waves", _regions(explanation)),
        ("timeline", _timelines(explanation, width - 4)),
    ):
        lines += [f"  {title}", *(f"    {line}".rstrip() for line in part), ""]
    for finding in explanation.findings:
        lines += [*(f"  {line}".rstrip() for line in _finding(finding, width - 2)), ""]
    return lines


def _places(explanation: Explanation) -> Iterator[str]:
    if explanation.places_note:
        yield f"({explanation.places_note})"
    for function, operations in explanation.places.items():
        yield function
        identity = max((len(one.identity) for one in operations), default=0)
        mnemonic = max((len(one.mnemonic) for one in operations), default=0)
        place = max((len(one.executes) for one in operations), default=0)
        for one in operations:
            mark = "◀ " if origin(one.identity) in explanation.at_fault else "  "
            yield (
                f"{mark}{one.identity:<{identity}}  {one.mnemonic:<{mnemonic}}  "
                f"on {one.executes:<{place}}  {one.reason}"
            )
            yield from (f"  {'':<{identity}}    {_home(home)}" for home in one.results)


def _home(home: Home) -> str:
    pinned = "not pinned" if home.pinned is None else f"pinned to {named(home.pinned)}"
    return (
        f"%{home.name} {home.lifetime}: lives on {named(home.resource)}, {pinned}, "
        f"used on {named(home.usage)}"
    )


def _folds(explanation: Explanation) -> Iterator[str]:
    if isinstance(explanation.folds, str):
        yield f"not told: {explanation.folds}"
    elif not explanation.folds:
        yield "there is no transfer"
    else:
        yield from (f"{one.identity} {one.fate}" for one in explanation.folds)


def _regions(explanation: Explanation) -> Iterator[str]:
    schedules = explanation.schedules
    differing = schedules.differing()
    if schedules.expected_note:
        yield f"(by the rules: {schedules.expected_note})"
    if schedules.actual_note:
        yield f"(by the compiler: {schedules.actual_note})"
    for label, side in (("expected", schedules.expected), ("actual", schedules.actual)):
        for timeline in side:
            if label == "actual" and timeline.name not in differing and schedules.expected:
                yield f"{timeline.name}: the compiler has the same"
                continue
            said = "by the rules" if label == "expected" else "by the compiler"
            yield f"{timeline.name}, {said}"
            for piece in timeline.pieces:
                yield from (f"  {line}" for line in _piece(piece, explanation.at_fault))


def _piece(piece: Piece, at_fault: Collection[str]) -> Iterator[str]:
    waits = ", ".join(map(str, piece.awaits)) or "nothing"
    after = "" if piece.after is None else f", submitted after host wait {piece.after}"
    around = "".join(f", in {one}" for one in piece.around)
    if piece.kind is Kind.WAIT:
        needs = ", ".join(_member(one, at_fault) for one in piece.members) or "nothing here"
        yield f"{piece.number}: the host waits for {waits}, needed by {needs}{around}"
        return
    yield (f"{piece.number}: {piece.kind.value} on {lane(piece)}, waits for {waits}{after}{around}")
    for wave in piece.waves:
        beside = " ∥ ".join(_member(one, at_fault) for one in wave)
        yield f"     {beside}"


def _member(member: Member, at_fault: Collection[str]) -> str:
    name = origin(member.identity)
    return f"{name} {member.word}{' ◀' if name in at_fault else ''}"


def _timelines(explanation: Explanation, width: int) -> Iterator[str]:
    panels = explanation.panels()
    if not panels:
        yield "nothing is submitted to a device"
    for panel in panels:
        yield panel.title
        yield from _table(panel.timeline, explanation.at_fault, width)


def _table(timeline: Timeline, at_fault: Collection[str], width: int) -> list[str]:
    """Devices as columns, steps as rows."""
    table = Table(box=SIMPLE_HEAD, show_lines=False, pad_edge=False)
    table.add_column("step", justify="right")
    for name in timeline.lanes:
        table.add_column(name, overflow="fold")
    for step in range(1, timeline.steps + 1):
        cells = []
        for name in timeline.lanes:
            here = [one for one in timeline.pieces if one.step == step and lane(one) == name]
            cells.append("\n".join(_cell(one, at_fault) for one in here))
        table.add_row(str(step), *cells)
    page = io.StringIO()
    console = Console(
        file=page, width=max(width, 40), color_system=None, markup=False, highlight=False
    )
    console.print(table)
    return [line.rstrip() for line in page.getvalue().splitlines() if line.strip()]


def _cell(piece: Piece, at_fault: Collection[str]) -> str:
    awaited = f" ⇐ {', '.join(map(str, piece.awaits))}" if piece.awaits else ""
    waves = "; ".join(
        " ∥ ".join(f"{origin(one.identity)}{'◀' if origin(one.identity) in at_fault else ''}"
                   for one in wave)
        for wave in piece.waves
    )  # fmt: skip
    if piece.kind is Kind.WAIT:
        return f"[{piece.number}] waits{awaited}" + (f" for {waves}" if waves else "")
    kind = "" if piece.kind is Kind.REGION else f" {piece.kind.value}"
    return f"[{piece.number}]{kind} {waves}{awaited}"


def _finding(finding: ExplainedFinding, width: int) -> Iterator[str]:
    fault, found = finding.found.fault, finding.found
    known = f" ({found.known})" if found.known else ""
    yield f"{found.state.value}{known}: {fault.signature}"
    yield f"  guilty pass: {fault.stage}"
    if finding.at_fault:
        yield f"  ops at fault: {', '.join(sorted(finding.at_fault))}"
    yield ""
    yield from (f"  {line}" for line in side_by_side(finding.rows, width - 2))
    yield ""
    yield from (f"  {line}" for line in _changes(finding))
    shown = "show it" if found.confirmation.confirmed else "do not show it here"
    yield f"  stock tools alone {shown}:"
    for command in found.confirmation.commands:
        yield from (f"    {line}" for line in command.splitlines())


def _changes(finding: ExplainedFinding) -> Iterator[str]:
    around = finding.around
    if not isinstance(around, Around):
        yield f"the program around the guilty pass is not shown: {around}"
        return
    changes = around.changes()
    yield f"{around.heading} (◀ at fault):"
    for line in changes[:_MOST_CHANGES]:
        names = line.text.partition("   // ")[2].split("+")
        mark = " ◀" if not finding.at_fault.isdisjoint(map(origin, names)) else ""
        yield f"{line.sign} {line.text}{mark}"
    if len(changes) > _MOST_CHANGES:
        yield f"… and {len(changes) - _MOST_CHANGES} lines more"
    yield ""
