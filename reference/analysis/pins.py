"""Which values must live on the device of an import, an export or a transient storage.

An op that pins claims the values it makes and takes, and what shares their storage, through calls,
regions, branches and globals. Rules from `populatePinnedAffinities` in
compiler/src/iree/compiler/Dialect/Stream/Analysis/Affinity.cpp.
"""

from __future__ import annotations

from collections.abc import Mapping

from reference.affinity import Affinity, affinity_order
from reference.analysis.explorer import NO_VALUE, Explorer, Node
from reference.analysis.walks import Walks
from reference.ir import Program
from reference.releases import Release
from reference.types import Value

Pins = Mapping[Value, tuple[Affinity, ...]]
"""The affinities that a body's pinned values must live on, in IREE's order of them (by their
printed form); a value that nothing pins is absent. One affinity may come from several ops."""

_Claims = dict[int, dict[Node, Affinity]]
"""The ops that claim a value, with where they want it: a second claim by the same op ends its walk,
another op's does not."""


def program_pins(program: Program, release: Release) -> list[Pins]:
    """The pins of every body of a program, in the order of `Program.bodies()`.

    Raises UnsupportedOperationError where the release's own search is undefined.
    """
    pins: list[dict[Value, tuple[Affinity, ...]]] = [{} for _ in program.bodies()]
    if any(operation.pins for operation in program.operations()):
        explorer = Explorer(program)
        for value, affinities in explored_pins(explorer, release).items():
            pins[explorer.body_of(value)][explorer.values[value]] = affinities
    return [*pins]


def explored_pins(explorer: Explorer, release: Release) -> dict[int, tuple[Affinity, ...]]:
    """The pins of a program by the numbers of the values.

    Raises UnsupportedOperationError as `program_pins` does.
    """
    walks = Walks(explorer, release)
    claims: _Claims = {}
    for node in explorer.pinners:
        _claim(node, explorer, walks, claims)
    return {value: affinity_order(by.values()) for value, by in claims.items()}


def _claim(pinner: Node, explorer: Explorer, walks: Walks, claims: _Claims) -> None:
    """What one op claims: down from its results, and up from its operands.

    Other ops that pin are passed over: they claim on their own account. Downwards, the first use
    of a value claims it, so the uses after it find it claimed and lead nowhere; MLIR lists uses
    newest first. A value without such a use is not claimed at all.
    """
    affinity = pinner.operation.execution_affinity
    assert affinity is not None, "an op pins only where it says where"

    def claim(value: int) -> bool:
        by = claims.setdefault(value, {})
        if pinner in by:
            return False
        by[pinner] = affinity
        return True

    def claim_use(value: int, user: Node, _: int) -> bool:
        return explorer.tracked[value] and not user.pins and claim(value)

    def claim_result(value: int, maker: Node, _: int) -> bool:
        if maker is pinner:
            return True
        return explorer.tracked[value] and not maker.pins and claim(value)

    for result in pinner.results:
        if explorer.tracked[result]:
            walks.transitive_uses(result, claim_use)
    for operand in pinner.inputs:
        if operand != NO_VALUE and explorer.tracked[operand]:
            walks.defining_ops(operand, claim_result)
