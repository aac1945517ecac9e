"""Words for a fault that stay the same across names, numbers, sizes, seeds and processes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from reference.affinity import Affinity
from reference.ops import Transfer

_PLACE = re.compile(r"^(?:\S+:\d+:\d+|loc\(.*?\)+): ")
_QUOTED = re.compile(r"'(?P<op>[a-z_]+(?:\.[a-z_]+)+)'|'[^']*'|\"[^\"]*\"")
_DEVICE = re.compile(r"#hal\.device\.(?:affinity|promise)<@([\w.$-]+)")
_PRINTED_OP = re.compile(r"%[\w:]+ = |\"[a-z_]+\.[a-z_.]+\"\(")
_EDGE = re.compile(r"'(?P<op>[a-z_.]+)' op along control flow edge from .+? to .+?: ")
_TYPES_DIFFER = re.compile(
    r"successor operand type|type mismatch|doesn't match function result type|have same type"
)
"""How MLIR and IREE say that a value is not of the type that is wanted where it goes."""
_BY_OPERAND = frozenset({"schedule-allocation"})
"""Stages that give an op's result its operand's type: which op notices that is chance."""
_NOT_DOMINATED = "operand-does-not-dominate-this-use"
_DEFINED = re.compile(r"operand defined (?:here|as a block argument)")
_IN_ITS_BLOCK = "operand defined here (op in the same block)"
"""How MLIR's verifier says where a value comes from that an op may not use."""
_RANGES = "verify-async-access-ranges"
_RANGE_REASON = re.compile(
    r"has invalid .* access range \[.*; (?:(?P<of_itself>start > end|length > end|start \+ length)"
    r"|\w+ > resource size)"
)
_OF_ITSELF, _BEYOND_RESOURCE = "range-contradicts-itself", "range-beyond-resource"
"""The two kinds of reasons of compiler/src/iree/compiler/Dialect/Stream/Transforms/
VerifyAsyncAccessRanges.cpp for which it refuses an access."""
_NAME = re.compile(r"[%@#^][\w.$:-]+(?:<[^<>]*>)?")
_NUMBER = re.compile(r"-?\b\d+(?:\.\d+)?\b")
_NOT_WORDS = re.compile(r"[^a-z0-9.]+")
_UNRESOLVED = re.compile(r"unresolved (?:(?:source|target) )?materialization")
"""MLIR tells which end of a value's missing cast was asked for, which is the same mistake."""
_LONGEST = 90
_LONGEST_FILE_NAME = 150


WHEN_CONCURRENT = "when-concurrent"
"""What goes wrong only where work runs at the same time."""


def shows_by_chance(signature: str) -> bool:
    """Whether a program may show a fault at one time and not at another."""
    words = signature.split("/")
    return words[0] == "determinism" or WHEN_CONCURRENT in words


def of_message(message: str) -> str:
    """A diagnostic as a few words: op names kept, other names, numbers and quotes left out.

    Goes in: any message of the compiler's. Comes out: lower-case words joined by hyphens, at most
    90 characters, of the first line and only up to an op that the message prints. Whatever says
    that a value's type is another than is wanted of it is told as one: which op it is about.
    """
    line = message.strip().splitlines()[0] if message.strip() else ""
    line = _PRINTED_OP.split(_PLACE.sub("", line))[0]
    if _TYPES_DIFFER.search(line):
        # Which of an op's edges notices, and how that is said, differs with the release too.
        op = re.match(r"'([a-z_]+(?:\.[a-z_]+)+)'", line)
        return f"{op[1]}-types-differ" if op else "types-differ"
    line = _EDGE.sub(r"'\g<op>' hands on ", line)
    line = _UNRESOLVED.sub("unresolved materialization", line)
    apart = _devices_apart(line)
    line = _QUOTED.sub(lambda match: f" {match['op']} " if match["op"] else " ", line)
    line = _NUMBER.sub(" ", _NAME.sub(" ", line))
    words = _NOT_WORDS.sub("-", line.lower()).strip("-.")[:_LONGEST].rstrip("-.")
    return f"{words or 'no-message'}{apart}"


def of_refusal(stage: str, message: str, notes: str = "") -> str:
    """The diagnostic with which `stage` refuses a program, as a few words. `notes` are those that
    come with it."""
    range_reason = _RANGE_REASON.search(message)
    if stage == _RANGES and range_reason:
        # Which op notices that it was given something else, and at which end, is chance.
        return _OF_ITSELF if range_reason["of_itself"] else _BEYOND_RESOURCE
    words = of_message(message)
    if words == _NOT_DOMINATED and _DEFINED.search(notes):
        # An op that was put before its operand is another mistake than one that lost it.
        return f"{words}/{'in-its-block' if _IN_ITS_BLOCK in notes else 'elsewhere'}"
    return "types-differ" if stage in _BY_OPERAND and words.endswith("types-differ") else words


def left_by_conversion(message: str) -> bool:
    """Whether a diagnostic says that MLIR's dialect conversion left a value between two types. That
    is no verdict upon a program: what converts it contradicts itself."""
    return _UNRESOLVED.search(message) is not None


def _devices_apart(line: str) -> str:
    """Whether the affinities that a message sets against each other are of one device or two."""
    devices = _DEVICE.findall(line)
    if len(devices) != 2:
        return ""
    return "-one-device" if devices[0] == devices[1] else "-two-devices"


def of_transfer(transfer: Transfer) -> tuple[str, ...]:
    """What kind of transfer: its lifetimes, same or cross device, with or without `on`."""
    source, result = transfer.source.lifetime, transfer.result.lifetime
    assert source is not None
    assert result is not None
    kinds = (
        f"{_word(source.value)}-to-{_word(result.value)}",
        _reach(transfer.source_affinity, transfer.target_affinity),
    )
    return kinds if transfer.explicit_affinity is None else (*kinds, "explicit-on")


def of_kinds(mnemonics: Iterable[str]) -> str:
    """The kinds of ops that differ, each once, in order of name: `clone+transfer`."""
    return "+".join(sorted({mnemonic.rpartition(".")[2] for mnemonic in mnemonics})) or "nothing"


def file_name(signature: str) -> str:
    """A signature as one folder's name."""
    name = re.sub(r"[^\w.+-]+", "--", signature)
    if len(name) <= _LONGEST_FILE_NAME:
        return name
    mark = hashlib.sha256(signature.encode()).hexdigest()[:8]
    return f"{name[: _LONGEST_FILE_NAME - 9]}-{mark}"


def _reach(source: Affinity | None, target: Affinity | None) -> str:
    if source is None or target is None:
        return "unplaced-end"
    return "same-device" if source.device == target.device else "cross-device"


def _word(lifetime: str) -> str:
    return "any" if lifetime == "*" else lifetime
