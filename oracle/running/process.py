"""Compiles and runs: two processes that answer as one compiler.

The steps of a request up to ``binary`` are the compile process's; what follows is the runtime's,
which is given the bytecode. So a runtime that crashes or never ends costs a runtime, and the
compiler goes on with the next program meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from oracle.compiling.answers import Answer, Json, Outcome, Request
from oracle.compiling.compiler import CompilerProcess, Restarts

COMPILE_SCRIPT = Path(__file__).with_name("compile_worker.py")
RUNTIME_SCRIPT = Path(__file__).with_name("runtime_worker.py")

PREPARE = "prepare"
"""The step that compiles executables, once in the life of a process."""

BINARY = "binary"
"""The last step of compiling."""


class RunningCompiler:
    """A compiler whose requests go on in the runtime.

    `interpreter`, `timeout` (seconds, for compiling and for running each), `memory_limit` (bytes,
    for either process) and `environment` are those of `oracle.compiling.compiler.CompilerProcess`.
    Raises CompilerUnavailable. A context manager.
    """

    def __init__(
        self,
        interpreter: Path,
        timeout: float,
        memory_limit: int,
        runtime_script: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.compiler = CompilerProcess(
            interpreter=interpreter,
            worker_script=COMPILE_SCRIPT,
            timeout=timeout,
            memory_limit=memory_limit,
            environment=environment,
        )
        self._prepared: set[str] = set()
        self._restarts = self.compiler.restarts
        try:
            self.runtime = CompilerProcess(
                interpreter=interpreter,
                worker_script=runtime_script or RUNTIME_SCRIPT,
                timeout=timeout,
                memory_limit=memory_limit,
                environment=environment,
            )
        except BaseException:
            self.compiler.close()
            raise

    def __enter__(self) -> RunningCompiler:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends both processes."""
        self.compiler.close()
        self.runtime.close()

    @property
    def restarts(self) -> Restarts:
        """How often either was lost."""
        one, other = self.compiler.restarts, self.runtime.restarts
        return Restarts(one.crash + other.crash, one.hang + other.hang, one.memory + other.memory)

    def ask(self, requests: Sequence[Request]) -> Iterator[Answer]:
        """One answer a request, its results those of all steps."""
        self._prepare(requests)
        halves = [_halved(request) for request in requests]
        compiled = self.compiler.ask([first for first, _ in halves])
        for (first, second), answer in zip(halves, compiled, strict=True):
            if answer.outcome is not Outcome.OK or not second:
                yield answer
                continue
            *results, bytecode = answer.results
            (ran,) = self.runtime.ask([Request(str(bytecode), second)])
            yield replace(
                ran,
                # The bytecode is large, and nobody's but the runtime's.
                results=(*results, None, *ran.results),
                step=len(first.steps) + ran.step,
                seconds=answer.seconds + ran.seconds,
            )

    def _prepare(self, requests: Sequence[Request]) -> None:
        """Lets the compile process make the executables that are new to it, one at a time: together
        they may take longer than a request is given."""
        if self.compiler.restarts != self._restarts:
            self._restarts = self.compiler.restarts
            self._prepared.clear()
        for request in requests:
            for verb, *arguments in request.steps:
                if verb != PREPARE:
                    continue
                (executables,) = arguments
                assert isinstance(executables, dict)
                for name, told in executables.items():
                    if name not in self._prepared:
                        self._prepared.add(name)
                        step = (PREPARE, {name: told})
                        # Should it fail, the program's own request fails and says so.
                        list(self.compiler.ask([Request("", (step,))]))


def _halved(request: Request) -> tuple[Request, Sequence[Sequence[Json]]]:
    verbs = [step[0] for step in request.steps]
    place = verbs.index(BINARY) + 1 if BINARY in verbs else len(verbs)
    return replace(request, steps=request.steps[:place], known=0), request.steps[place:]
