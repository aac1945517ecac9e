"""The live line on standard error while a campaign runs."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text

from oracle.campaigns.counts import Tally
from oracle.verdict import State

_QUIET_SECONDS = 15.0
"""Between two lines where standard error is no terminal."""


class Progress:
    """Programs, rate, valid share, findings and restarts; `total` programs or `seconds` to go."""

    def __init__(self, total: int | None, seconds: float | None) -> None:
        self._total, self._seconds = total, seconds
        self._console = Console(file=sys.stderr)
        self._live = Live(console=self._console, transient=True, refresh_per_second=4)
        self._said = time.monotonic()

    def __enter__(self) -> Progress:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def update(self, tally: Tally) -> None:
        """Shows where the run is."""
        if self._console.is_terminal:
            self._live.update(Text(self._line(tally)))
        elif time.monotonic() - self._said >= _QUIET_SECONDS:
            self._said = time.monotonic()
            self._console.print(self._line(tally), highlight=False)

    def _line(self, tally: Tally) -> str:
        goal = f"/{self._total}" if self._total else ""
        if self._seconds:
            goal = f" in {tally.seconds:.0f}/{self._seconds:.0f} s"
        states = tally.states()
        valid = 100.0 * (1 - tally.invalid / max(tally.programs, 1))
        restarts = sum(tally.restarts.values())
        reduced = f"{tally.reduced}/{tally.to_reduce} reduced · " if tally.to_reduce else ""
        return (
            f"{tally.programs}{goal} programs · {tally.rate:.0f}/s · {valid:.1f} % valid · "
            f"{states[State.NEW] + states[State.MODEL]} new, {states[State.KNOWN]} known · "
            f"{reduced}{restarts} restarts"
        )
