"""A timeline as a picture: devices as lanes, pieces of work as boxes, waits as arrows.

Time goes down, one row a step of the happens-before order. The result is one SVG element that
stands for itself in a file and inside of HTML, in light and in dark surroundings.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from oracle.reading.raw import origin
from reference.timeline import HOST, NOWHERE, Kind, Piece, Timeline, lane

_CHARACTER = 7.3
"""Width of a character of 12 px monospace type, in px."""
_LINE, _PAD, _GAP, _MARGIN, _HEAD = 16.0, 7.0, 26.0, 14.0, 30.0
_NARROW, _WIDE = 130.0, 330.0
"""The least and the greatest width of a lane."""
_MOST_LINES = 18

_STYLE = """
.xc-timeline{font:12px ui-monospace,monospace;--ink:#1c2430;--page:#ffffff;
--soft:#5b6675;--lane:#f2f4f7;
--box:#dce9fb;--edge:#3d6ea8;--wait:#fdf1d3;--waits:#9a6b00;--odd:#f7dfdf;--fault:#b3172b}
@media (prefers-color-scheme:dark){.xc-timeline{--ink:#e6eaf0;
--page:#11161d;--soft:#9aa6b5;--lane:#1a2029;
--box:#20344f;--edge:#78aaea;--wait:#3d3212;--waits:#e0b04a;--odd:#472228;--fault:#ff8593}}
.xc-timeline text{fill:var(--ink)}
.xc-timeline .page{fill:var(--page)}
.xc-timeline .soft{fill:var(--soft)}
.xc-timeline .title{font-weight:bold}
.xc-timeline .lane{fill:var(--lane)}
.xc-timeline .region,.xc-timeline .memory{fill:var(--box);stroke:var(--edge)}
.xc-timeline .memory{stroke-dasharray:4 2}
.xc-timeline .host,.xc-timeline .call{fill:var(--wait);stroke:var(--waits)}
.xc-timeline .outside{fill:var(--odd);stroke:var(--fault);stroke-dasharray:4 2}
.xc-timeline .fault{stroke:var(--fault);stroke-width:2.5}
.xc-timeline text.fault{fill:var(--fault);stroke:none;font-weight:bold}
.xc-timeline .arrow{fill:none;stroke:var(--edge);stroke-width:1.5}
.xc-timeline .order{fill:none;stroke:var(--waits);stroke-dasharray:2 3}
.xc-timeline .head{fill:var(--edge)}
.xc-timeline .order-head{fill:var(--waits)}
"""

_CLASSES = {
    Kind.REGION: "region",
    Kind.MEMORY: "memory",
    Kind.WAIT: "host",
    Kind.CALL: "call",
    Kind.OUTSIDE: "outside",
}


@dataclass(frozen=True, slots=True)
class Panel:
    """One timeline under its title."""

    title: str
    timeline: Timeline


@dataclass(frozen=True, slots=True)
class _Box:
    piece: Piece
    lines: tuple[tuple[str, bool], ...]
    """What is written, and whether it is at fault."""
    x: float
    y: float
    width: float
    height: float


def picture(panels: Sequence[Panel], at_fault: Collection[str] = (), prefix: str = "t") -> str:
    """The panels one above the other, as the text of an SVG element.

    The ops whose identities are in `at_fault` are marked, and the boxes that hold them. `prefix`
    begins the ids of the picture: two pictures of one page need different ones.
    """
    drawn = [_Panel(panel, frozenset(at_fault), prefix) for panel in panels]
    width = max((one.width for one in drawn), default=0.0) + 2 * _MARGIN
    height = sum(one.height + _MARGIN for one in drawn) + _MARGIN
    root = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "class": "xc-timeline",
            "role": "img",
            "width": _number(width),
            "height": _number(height),
            "viewBox": f"0 0 {_number(width)} {_number(height)}",
        },
    )
    ElementTree.SubElement(root, "title").text = "; ".join(panel.title for panel in panels)
    ElementTree.SubElement(root, "style").text = _STYLE
    definitions = ElementTree.SubElement(root, "defs")
    _arrow_head(definitions, f"{prefix}-head", "head")
    _arrow_head(definitions, f"{prefix}-order", "order-head")
    _rectangle(root, 0, 0, width, height, "page", radius=0)
    top = _MARGIN
    for one in drawn:
        shift = {"transform": f"translate({_number(_MARGIN)} {_number(top)})"}
        one.draw(ElementTree.SubElement(root, "g", shift))
        top += one.height + _MARGIN
    return ElementTree.tostring(root, encoding="unicode")


class _Panel:
    """One timeline with a place for everything."""

    def __init__(self, panel: Panel, at_fault: frozenset[str], prefix: str) -> None:
        self.panel = panel
        self._prefix = prefix
        self._fault = at_fault
        timeline = panel.timeline
        texts = {piece.number: self._lines(piece) for piece in timeline.pieces}
        self._lanes: dict[str, tuple[float, float]] = {}
        x = 0.0
        for name in timeline.lanes:
            longest = max(
                len(line)
                for lines in [
                    [(_lane_title(name), False)],
                    *(texts[one.number] for one in timeline.pieces if lane(one) == name),
                ]
                for line, _ in lines
            )
            width = min(max(longest * _CHARACTER + 4 * _PAD, _NARROW), _WIDE)
            self._lanes[name] = (x, width)
            x += width + _PAD
        title = len(panel.title) * _CHARACTER
        self.width = max(x, title)
        self._boxes: dict[int, _Box] = {}
        self.height = self._place(texts)

    def draw(self, group: ElementTree.Element) -> None:
        """Lanes first, then arrows, then boxes over them."""
        _text(group, 0, _LINE - 3, self.panel.title, "title")
        for name, (x, width) in self._lanes.items():
            _rectangle(group, x, _LINE + 6, width, self.height - _LINE - 6, "lane", radius=6)
            _text(group, x + _PAD, 2 * _LINE + 8, _lane_title(name), "soft")
        for box in self._boxes.values():
            piece = box.piece
            for other in piece.awaits:
                self._arrow(group, other, box, "arrow", f"{self._prefix}-head")
            if piece.after is not None and piece.after not in piece.awaits:
                self._arrow(group, piece.after, box, "order", f"{self._prefix}-order")
        for box in self._boxes.values():
            self._draw_box(group, box)

    def _place(self, texts: dict[int, tuple[tuple[str, bool], ...]]) -> float:
        """Gives each piece its box, steps in rows; the height of all."""
        top = _LINE + 6 + _HEAD
        timeline = self.panel.timeline
        for step in range(1, timeline.steps + 1):
            bottom = top
            filled: dict[str, float] = {}
            for piece in timeline.pieces:
                if piece.step != step:
                    continue
                name = lane(piece)
                x, width = self._lanes[name]
                y = filled.get(name, top)
                lines = texts[piece.number]
                height = len(lines) * _LINE + 2 * _PAD
                self._boxes[piece.number] = _Box(
                    piece, lines, x + _PAD, y, width - 2 * _PAD, height
                )
                filled[name] = y + height + _PAD
                bottom = max(bottom, y + height)
            top = bottom + _GAP
        return top - _GAP + _PAD

    def _lines(self, piece: Piece) -> tuple[tuple[str, bool], ...]:
        lines = [(_head(piece), False)]
        lines += [(f"in {one}", False) for one in piece.around]
        for wave in piece.waves:
            for place, member in enumerate(wave):
                beside = len(wave) > 1 and piece.kind is Kind.REGION
                bar = "" if not beside else "┌ " if not place else "│ "
                if beside and place == len(wave) - 1:
                    bar = "└ "
                name = origin(member.identity)
                faulty = name in self._fault or member.identity in self._fault
                mark = " ◀" if faulty else ""
                lines.append((f"{bar}{name} {member.word}{mark}", faulty))
        if len(lines) > _MOST_LINES:
            hidden = lines[_MOST_LINES - 1 :]
            rest = f"… and {len(hidden)} more"
            lines = [*lines[: _MOST_LINES - 1], (rest, any(faulty for _, faulty in hidden))]
        return tuple(lines)

    def _draw_box(self, group: ElementTree.Element, box: _Box) -> None:
        faulty = any(fault for _, fault in box.lines)
        kind = _CLASSES[box.piece.kind] + (" fault" if faulty else "")
        radius = 12 if box.piece.on_host else 4
        drawn = ElementTree.SubElement(group, "g")
        told = [line for line, _ in box.lines]
        ElementTree.SubElement(drawn, "title").text = "\n".join(told)
        _rectangle(drawn, box.x, box.y, box.width, box.height, kind, radius)
        most = max(round((box.width - 2 * _PAD) / _CHARACTER), 4)
        for place, (line, fault) in enumerate(box.lines):
            y = box.y + _PAD + (place + 1) * _LINE - 4
            style = "fault" if fault else "title" if not place else ""
            _text(drawn, box.x + _PAD, y, _shortened(line, most), style)

    def _arrow(
        self, group: ElementTree.Element, source: int, target: _Box, kind: str, head: str
    ) -> None:
        """From the bottom of what comes first to the top of what comes after."""
        first = self._boxes[source]
        x1, y1 = first.x + first.width / 2, first.y + first.height
        x2, y2 = target.x + target.width / 2, target.y - 1
        if kind == "order":
            x1, x2 = x1 + 12, x2 + 12
        bend = max((y2 - y1) / 2, 8)
        path = (
            f"M{_number(x1)} {_number(y1)} C{_number(x1)} {_number(y1 + bend)} "
            f"{_number(x2)} {_number(y2 - bend)} {_number(x2)} {_number(y2)}"
        )
        ElementTree.SubElement(
            group, "path", {"d": path, "class": kind, "marker-end": f"url(#{head})"}
        )


def _head(piece: Piece) -> str:
    waits = ", ".join(map(str, piece.awaits))
    if piece.kind is Kind.WAIT:
        return f"{piece.number} host waits for {waits or 'nothing'}"
    named = f"{piece.number} {piece.kind.value}"
    return f"{named} ⇐ {waits}" if waits else named


def _lane_title(name: str) -> str:
    return {HOST: "host", NOWHERE: "no device"}.get(name, name)


def _shortened(line: str, most: int) -> str:
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _text(parent: ElementTree.Element, x: float, y: float, text: str, style: str) -> None:
    item = ElementTree.SubElement(parent, "text", {"x": _number(x), "y": _number(y)})
    if style:
        item.set("class", style)
    item.text = text


def _rectangle(
    parent: ElementTree.Element,
    x: float,
    y: float,
    width: float,
    height: float,
    style: str,
    radius: float,
) -> None:
    ElementTree.SubElement(
        parent,
        "rect",
        {
            "x": _number(x),
            "y": _number(y),
            "width": _number(width),
            "height": _number(height),
            "rx": _number(radius),
            "class": style,
        },
    )


def _arrow_head(parent: ElementTree.Element, identity: str, style: str) -> None:
    marker = ElementTree.SubElement(
        parent,
        "marker",
        {
            "id": identity,
            "viewBox": "0 0 8 8",
            "refX": "7",
            "refY": "4",
            "markerWidth": "7",
            "markerHeight": "7",
            "orient": "auto",
        },
    )
    ElementTree.SubElement(marker, "path", {"d": "M0 0 L8 4 L0 8 Z", "class": style})
