"""What comes before what: pieces of work are agents, a point in time is the set of those done.

Agents are numbers, sets of them are bits. The host is agent 0. Device work comes after what the
host has waited for when it submits it and after the timepoint that it awaits, and after nothing
else: neither the order of submission nor the device orders two regions. Within a region commands
run in their order, those of a wave in any. A wait of the host orders all that it does later.
"""

from __future__ import annotations

from dataclasses import dataclass

from reference.affinity import Affinity

HOST = 1
"""The set of the host alone."""

START = 0
"""The timepoint that is reached from the start."""


@dataclass(slots=True)
class Work:
    """Commands in a row: who does them, what came before, and all agents that had a part in them.

    `region` is the number of the execution region.
    """

    agent: int
    before: int
    region: int
    affinity: Affinity | None
    done: int = 0


class Order:
    """Hands out agents, and knows what the host has waited for."""

    def __init__(self) -> None:
        self._agents = 1
        self._regions = 0
        self.host = HOST

    def agent(self) -> int:
        """Somebody new."""
        self._agents += 1
        return self._agents - 1

    def region(self, awaited: int, affinity: Affinity | None) -> Work:
        """Work that the host submits now."""
        self._regions += 1
        agent = self.agent()
        return Work(agent, self.host | awaited, self._regions, affinity, 1 << agent)

    def branch(self, work: Work) -> Work:
        """Work that comes after all so far, and is not ordered with other branches."""
        agent = self.agent()
        return Work(agent, work.before | work.done, work.region, work.affinity, 1 << agent)

    @staticmethod
    def join(work: Work, branch: Work) -> None:
        """What follows in `work` comes after a branch."""
        work.before |= branch.done
        work.done |= branch.done

    @staticmethod
    def end(work: Work) -> int:
        """The timepoint at which work is done."""
        return work.before | work.done

    def moment(self, awaited: int) -> tuple[int, int]:
        """Something that happens at once when `awaited` is reached: its agent, what is before."""
        return self.agent(), self.host | awaited
