"""The cases of `folding/*.mlir`: small functions and the ops that one rewriting leaves of them.

A piece starts with `// NAME: OPS`, where OPS are the last parts of the ops' names in order, nested
ones after the op around them, with `@LOCATION` where that is asked (`@a+b` for fused ones), without
constants and immediate timepoints; or with `// NAME: refused WORD` where the model gives up. A name
that ends in `since VERSION` or `until VERSION` holds for some releases only.

Short forms: `!T !E !S !V !K !U` for resources, `on(A)` for a device, `{16}` and `[0 to 4 for 4]`
for constants, which like `%c7`, `%c-1_i32`, `%true` need no definition.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

CASES = Path(__file__).with_name("folding")

_TITLE = re.compile(r"// (?P<name>[^:]+?)(?: (?P<bound>since|until) (?P<version>[\d.]+))?: ")
_LIFETIMES = {
    "T": "transient", "E": "external", "S": "staging", "V": "variable", "K": "constant", "U": "*",
}  # fmt: skip
_LIFETIME = re.compile(r"!([TESVKU])\b")
_DEVICE = re.compile(r"\b(on|from|to)\(([ABC])\)")
_SIZE = re.compile(r"\{(\d+)\}")
_OFFSETS = re.compile(r"(%[\w#]+)\[([^\]]*)\]")
_NUMBER = re.compile(r"(?<![\w%-])\d+")
_CONSTANT = re.compile(r"%(?:c(?P<number>-?\d+)(?:_(?P<type>i\d+))?|(?P<flag>true|false))\b")
_HEAD = """
util.global private @device_a : !hal.device
util.global private @device_b : !hal.device
util.global private @device_c : !hal.device
util.global private mutable @g : !stream.resource<variable>
util.global private mutable @h : !stream.resource<variable>
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A module and the ops that are left of it; `refused` is a word of what the model lacks."""

    name: str
    text: str
    left: tuple[str, ...]
    refused: str | None
    since: tuple[int, ...]
    until: tuple[int, ...]

    def holds_for(self, version: str) -> bool:
        """Whether the case is about that release."""
        return self.since <= _parts(version)[:2] <= self.until


def read_cases() -> list[Case]:
    """All cases of all files."""
    return [
        _case(file.stem, piece)
        for file in sorted(CASES.glob("*.mlir"))
        for piece in file.read_text().split("// -----\n")
    ]


def _case(file: str, piece: str) -> Case:
    title, _, code = piece.strip().partition("\n")
    found = _TITLE.match(title)
    assert found is not None, title
    words = title[found.end() :].split()
    refused = " ".join(words[1:]) if words[0] == "refused" else None
    version = _parts(found["version"] or "0")
    return Case(
        name=f"{file}: {found['name']}",
        text=spelled_out(code),
        left=() if refused else tuple(words),
        refused=refused,
        since=version if found["bound"] == "since" else (0,),
        until=version if found["bound"] == "until" else (1000,),
    )


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


def spelled_out(code: str) -> str:
    """A module with a function that is written in short forms."""
    code = _LIFETIME.sub(lambda short: f"!stream.resource<{_LIFETIMES[short[1]]}>", code)
    code = _DEVICE.sub(
        lambda short: f"{short[1]}(#hal.device.affinity<@device_{short[2].lower()}>)", code
    )
    code = _SIZE.sub(r"{%c\1}", code)
    code = _OFFSETS.sub(lambda short: f"{short[1]}[{_NUMBER.sub(_constant, short[2])}]", code)
    constants = {found[0]: _definition(found) for found in _CONSTANT.finditer(code)}
    head, brace, body = code.partition(" {\n")
    return _HEAD + head + brace + "".join(sorted(constants.values())) + body


def _constant(number: re.Match[str]) -> str:
    return f"%c{number[0]}"


def _definition(found: re.Match[str]) -> str:
    value = found["flag"] or f"{found['number']} : {found['type'] or 'index'}"
    return f"  {found[0]} = arith.constant {value}\n"
