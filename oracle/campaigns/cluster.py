"""Lanes on the machines of a Dask cluster: batches of blocks go to whichever worker is free.

A worker that is lost costs nothing: Dask has its batch run by another. Only what came back is
counted, each block once. A worker process has one lane, so workers should have one thread each.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from typing import ClassVar

from distributed import Client, KilledWorker

from oracle.campaigns.lane import BlockResult
from oracle.campaigns.node import NodeSettings, end_run, run_batch
from oracle.campaigns.pools import PoolError
from oracle.version import VERSION, code_fingerprint

_CONNECT_SECONDS = 30.0
_CLOSE_SECONDS = 5.0
_COUNT_SECONDS = 2.0
"""How old the number of workers may be."""
_ALONE_SECONDS = 300.0
"""For how long a cluster may be without any worker."""


class ClusterPool:
    """Lanes that are workers of the cluster whose scheduler is at `address`.

    Raises PoolError when no scheduler answers there, and when a worker has another crosscurrent.
    """

    blocks: ClassVar[int] = 4
    lost: ClassVar[tuple[type[BaseException], ...]] = (KilledWorker, CancelledError)

    def __init__(self, address: str, settings: NodeSettings) -> None:
        self._address = address
        self._settings = settings
        # What it has to say of lost workers is no news to people.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        try:
            self._client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise PoolError(f"no Dask scheduler answers at {address}: {error}") from None
        self._check_code()
        self._executor = self._client.get_executor(pure=False)
        self._workers = 0
        self._counted = 0.0
        self._last_seen = time.monotonic()

    def _check_code(self) -> None:
        """What other code cannot unpack, a worker would never answer."""
        told = self._client.run(code_fingerprint, on_error="return")
        others = sorted(worker for worker, code in told.items() if code != code_fingerprint())
        if others:
            self._client.close(_CLOSE_SECONDS)
            raise PoolError(
                f"{', '.join(others)}: the workers have another crosscurrent ({VERSION} is here): "
                "install the same on all machines"
            )

    def most(self) -> int:
        """One at work and one waiting for each worker. Raises PoolError when there is none for
        long."""
        now = time.monotonic()
        if now - self._counted >= _COUNT_SECONDS:
            self._counted = now
            with contextlib.suppress(OSError, TimeoutError):
                self._workers = len(self._client.nthreads())
        if self._workers:
            self._last_seen = now
        elif now - self._last_seen >= _ALONE_SECONDS:
            raise PoolError(
                f"the cluster at {self._address} has had no worker for {_ALONE_SECONDS:.0f} s"
            )
        return max(1, 2 * self._workers)

    def submit(self, blocks: Sequence[range]) -> Future[list[BlockResult]]:
        """Has blocks run, together and in order."""
        future: Future[list[BlockResult]] = self._executor.submit(
            run_batch, self._settings, list(blocks)
        )
        return future

    def close(self) -> None:
        """Ends the lanes; what is under way is dropped."""
        with contextlib.suppress(OSError, TimeoutError, CancelledError):
            self._executor.shutdown(wait=False)
        # A worker in the middle of a batch, or lost, is not waited for.
        ending = threading.Thread(target=self._end_lanes, daemon=True)
        ending.start()
        ending.join(_CLOSE_SECONDS)
        with contextlib.suppress(OSError, TimeoutError, CancelledError):
            self._client.close(_CLOSE_SECONDS)

    def _end_lanes(self) -> None:
        with contextlib.suppress(OSError, TimeoutError, CancelledError, RuntimeError):
            self._client.run(end_run, self._settings.run, on_error="ignore")
