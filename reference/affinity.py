"""The affinity algebra: where an op runs or a resource lives.

Rules from `DeviceAffinityAttr`, `DeviceOptimalAttr` and `DeviceTopologyAttr` in
compiler/src/iree/compiler/Dialect/HAL/IR/HALAttrs.cpp and from `AffinityAttr` in
compiler/src/iree/compiler/Dialect/Stream/IR/StreamTypes.cpp. An absent affinity is None.

The laws that one would expect do not all hold; these are IREE's, and the model keeps them:

- `is_executable_with` is no equivalence. Queue 0 runs with all queues, not the other way round;
  `optimal<[A]>` runs with A, A does not run with `optimal<[A]>`.
- `is_executable_with` of an optimal set is not reflexive (A does not run with B inside it), but
  `can_execute_together` is, since equal affinities always do.
- `join_and` exists only in the direction of `can_execute_together`, so it does not commute.
- `join_and` of an optimal set keeps its members on devices that the other does not name, and has a
  null member wherever one of its own cannot be joined with the other: even the set with itself.
- `join_or` keeps members in the order in which devices were first named, so it commutes up to
  order only. Two sets that share a device nest a set in a set, which no parser accepts.
- `are_compatible` is equality where both are present.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

ANY_QUEUE = -1
"""Queue mask of an affinity that names no queues."""

NULL_MEMBER = "<<NULL ATTRIBUTE>>"
"""How MLIR prints a member of an optimal set that a join lost."""

_DEVICE = r"#hal\.device\.affinity<@(?P<device>[\w.$-]+)(?:, \[(?P<queues>[\d, ]*)\])?>"
_PRINTED = re.compile(_DEVICE)
_OPTIMAL = re.compile(r"#hal\.device\.optimal<\[(?P<members>.+)\]>")
_TOPOLOGY = re.compile(r"#hal\.device\.topology<\s*links\s*=\s*\[(?P<links>.*)\]\s*>", re.DOTALL)
_SYMBOL = r"(?:@[\w.$-]+::)*@([\w.$-]+)"
_LINK = re.compile(
    rf"\(\s*{_SYMBOL}\s*->\s*{_SYMBOL}\s*=\s*\{{([^}}]*)\}}(?:\s*,\s*\{{[^}}]*\}})?\s*\)\s*,?\s*"
)
_MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Affinity:
    """`#hal.device.affinity<@device, [queues]>`; `queues` is a bit mask, `ANY_QUEUE` for all."""

    device: str
    queues: int = ANY_QUEUE

    def __str__(self) -> str:
        if self.queues == ANY_QUEUE:
            return f"#hal.device.affinity<@{self.device}>"
        bits = ", ".join(str(bit) for bit in range(64) if self.queues >> bit & 1)
        return f"#hal.device.affinity<@{self.device}, [{bits}]>"


@dataclass(frozen=True, slots=True)
class OptimalAffinity:
    """`#hal.device.optimal<[…]>`: any one of the members, whichever turns out best.

    A set that can be written down has at least one member and all of them are devices. What a join
    makes may hold a set, or None where the member was lost.
    """

    members: tuple[Affinity | OptimalAffinity | None, ...]

    def __str__(self) -> str:
        members = (NULL_MEMBER if member is None else str(member) for member in self.members)
        return f"#hal.device.optimal<[{', '.join(members)}]>"


AnyAffinity = Affinity | OptimalAffinity
AffinityT = TypeVar("AffinityT", bound=AnyAffinity)


@dataclass(frozen=True, slots=True)
class Link:
    """How `source` reaches the memory of `target`; one direction only."""

    source: str
    target: str
    unified_memory: bool = False
    transparent_access: bool = False

    def __str__(self) -> str:
        properties = [
            f"{name} = true"
            for name in ("unified_memory", "transparent_access")
            if getattr(self, name)
        ]
        return f"(@{self.source} -> @{self.target} = {{{', '.join(properties)}}})"


@dataclass(frozen=True, slots=True)
class Topology:
    """`#hal.device.topology<links = […]>`. Of several links between two devices the first counts.

    Only affinities of one device have a device to ask about: an optimal set reaches nothing, not
    even itself.
    """

    links: tuple[Link, ...]

    def __str__(self) -> str:
        return f"#hal.device.topology<links = [{', '.join(map(str, self.links))}]>"

    def has_transparent_access(
        self, source: AnyAffinity | None, target: AnyAffinity | None
    ) -> bool:
        """Whether `source` reads and writes the memory of `target` without staging."""
        return self._has("transparent_access", source, target)

    def has_unified_memory(self, source: AnyAffinity | None, target: AnyAffinity | None) -> bool:
        """Whether both share one memory."""
        return self._has("unified_memory", source, target)

    def _has(self, name: str, source: AnyAffinity | None, target: AnyAffinity | None) -> bool:
        if not isinstance(source, Affinity) or not isinstance(target, Affinity):
            return False
        if source.device == target.device:
            return True
        pair = (source.device, target.device)
        found = (link for link in self.links if (link.source, link.target) == pair)
        link = next(found, None)
        return link is not None and bool(getattr(link, name))


def parse_affinity(text: str) -> AnyAffinity | None:
    """The affinity that MLIR prints as `text`; None for any other attribute.

    The bindings give no structure for HAL attributes, so their printed form is read.
    """
    return _parsed(text) if text.startswith("#hal.device.") else None


@lru_cache(maxsize=1024)
def _parsed(text: str) -> AnyAffinity | None:
    match = _PRINTED.fullmatch(text)
    if match is not None:
        return _affinity(match)
    optimal = _OPTIMAL.fullmatch(text)
    if optimal is None:
        return None
    members = tuple(map(_affinity, _PRINTED.finditer(optimal["members"])))
    rest = _PRINTED.sub("", optimal["members"])
    return OptimalAffinity(members) if members and not rest.strip(" ,") else None


def parse_topology(text: str) -> Topology | None:
    """The topology that MLIR prints as `text`; None for any other attribute.

    Properties of a link other than the two that Stream asks about are left out.
    """
    match = _TOPOLOGY.fullmatch(text)
    if match is None or _LINK.sub("", match["links"]).strip():
        return None
    return Topology(
        tuple(
            Link(
                source,
                target,
                unified_memory=_is_set("unified_memory", properties),
                transparent_access=_is_set("transparent_access", properties),
            )
            for source, target, properties in _LINK.findall(match["links"])
        )
    )


def affinity_order(affinities: Iterable[AffinityT]) -> tuple[AffinityT, ...]:
    """Distinct affinities in IREE's order: by their printed form.

    `sortAffinities`, compiler/src/iree/compiler/Dialect/Stream/Analysis/Affinity.cpp.
    """
    distinct = tuple(dict.fromkeys(affinities))
    return tuple(sorted(distinct, key=str)) if len(distinct) > 1 else distinct


def is_executable_with(left: AnyAffinity, right: AnyAffinity | None) -> bool:
    """Whether an op on `left` may run where `right` runs.

    A device: the same one, and a subset of its queues. A set: whichever member of `left` is chosen
    in the end must be executable with whichever of `right` is.
    """
    if right is None:
        return True
    if isinstance(left, OptimalAffinity):
        others = right.members if isinstance(right, OptimalAffinity) else (right,)
        return all(
            member is not None and is_executable_with(member, other)
            for member in left.members
            for other in others
        )
    if isinstance(right, OptimalAffinity):
        return False
    return left.device == right.device and left.queues & right.queues == left.queues


def can_execute_together(left: AnyAffinity | None, right: AnyAffinity | None) -> bool:
    """Whether ops with these affinities may run on one queue; an absent affinity runs anywhere."""
    if left is right or left is None or right is None or left == right:
        return True
    return is_executable_with(left, right)


def are_compatible(desired: AnyAffinity | None, required: AnyAffinity | None) -> bool:
    """Whether `desired` will do where `required` is asked for: the same, or one says nothing."""
    return desired is None or required is None or desired == required


def join_and(left: AnyAffinity, right: AnyAffinity | None) -> AnyAffinity | None:
    """Where both may run, or None where that is nowhere (`joinAND`).

    None also where `left` may not run on `right`, although `right` may on `left`.
    """
    if right is None:
        return left
    if isinstance(left, OptimalAffinity):
        return _joined(left, right, join_and, adds_devices=False)
    if not can_execute_together(left, right) or not isinstance(right, Affinity):
        return None
    return Affinity(left.device, left.queues & right.queues)


def join_or(left: AnyAffinity, right: AnyAffinity | None) -> AnyAffinity | None:
    """What may run on either (`joinOR`): one device with all the queues, or an optimal set.

    None where `left` is a set with a member that is no device.
    """
    if right is None:
        return left
    if isinstance(left, OptimalAffinity):
        return _joined(left, right, join_or, adds_devices=True)
    if isinstance(right, OptimalAffinity):
        return join_or(right, left)
    if left.device == right.device:
        return Affinity(left.device, left.queues | right.queues)
    return OptimalAffinity((left, right))


def join_all(affinities: Iterable[AnyAffinity | None]) -> AnyAffinity | None:
    """The affinity of whatever may run on any of these (`AffinityAttr::joinOR` of a list).

    Absent ones count for nothing; None when there is no other.
    """
    joined: AnyAffinity | None = None
    for affinity in affinities:
        joined = affinity if joined is None else join_or(joined, affinity)
    return joined


def _joined(
    left: OptimalAffinity,
    right: AnyAffinity,
    join: Callable[[AnyAffinity, AnyAffinity | None], AnyAffinity | None],
    *,
    adds_devices: bool,
) -> AnyAffinity | None:
    """`joinDeviceOptimalAttr`: the members of `right` joined one by one into those of `left`.

    A member on a device that `left` names is joined with all of `right`, not with the member of
    that device: for two sets, that is where IREE nests sets and loses members.
    """
    by_device: dict[str, AnyAffinity | None] = {}
    for member in left.members:
        if not isinstance(member, Affinity):
            return None
        by_device.setdefault(member.device, member)
    for other in right.members if isinstance(right, OptimalAffinity) else (right,):
        if not isinstance(other, Affinity):
            return None
        if other.device in by_device:
            own = by_device[other.device]
            by_device[other.device] = None if own is None else join(own, right)
        elif adds_devices:
            by_device[other.device] = other
    return OptimalAffinity(tuple(by_device.values()))


def _affinity(match: re.Match[str]) -> Affinity:
    if match["queues"] is None:
        return Affinity(match["device"])
    mask = 0
    for bit in match["queues"].split(","):
        mask |= 1 << int(bit)
    return Affinity(match["device"], ANY_QUEUE if mask == _MASK else mask)


def _is_set(name: str, properties: str) -> bool:
    return re.search(rf"\b{name}\s*=\s*true\b", properties) is not None
