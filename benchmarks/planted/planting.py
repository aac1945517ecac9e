"""A compiler whose output is edited between two of its passes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType

from benchmarks.planted.faults import PlantedFault
from oracle.compiling.answers import Answer, Outcome, Request
from oracle.compiling.compiler import Restarts
from oracle.compiling.inquiry import Compiler


@dataclass(slots=True)
class Plant:
    """What is planted now: None is nothing. `planted` counts the edits that were made."""

    fault: PlantedFault | None = None
    choice: int = 0
    planted: int = 0


@dataclass(slots=True)
class PlantingCompiler:
    """The compiler behind it is the real one; the passes behind the edit go on from what it made.

    Every question about one program gets the same edit. An edit that leaves no program that the
    compiler takes is not made.
    """

    real: Compiler
    plant: Plant
    _entered: list[Compiler] = field(default_factory=list)

    @property
    def restarts(self) -> Restarts:
        """How often the compiler was lost."""
        return self.real.restarts

    def __enter__(self) -> Compiler:
        self.real.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.real.__exit__(kind, error, trace)

    def ask(self, requests: Sequence[Request]) -> Iterator[Answer]:
        """One answer a request, in order."""
        for request in requests:
            yield self._answer(request)

    def _answer(self, request: Request) -> Answer:
        # A request that goes on from an earlier one would go on from what was not edited.
        request = replace(request, known=0)
        edited = None if self.plant.fault is None else self._edited(request, self.plant.fault)
        if edited is None:
            (answer,) = self.real.ask([request])
            return answer
        return edited

    def _edited(self, request: Request, fault: PlantedFault) -> Answer | None:
        ran = (
            place
            for place, (verb, *arguments) in enumerate(request.steps)
            if verb == "run" and fault.behind in str(arguments[0])
        )
        cut = next(ran, None)
        if cut is None:
            return None
        head = replace(request, steps=(*request.steps[: cut + 1], ("print", True)))
        (before,) = self.real.ask([head])
        if before.outcome is not Outcome.OK:
            return None
        text = fault.edit(str(before.results[-1]), self.plant.choice)
        if text is None:
            return None
        tail = replace(request, text=text, steps=(("parse",), *request.steps[cut + 1 :]))
        (behind,) = self.real.ask([tail])
        if behind.outcome is not Outcome.OK:
            return None
        self.plant.planted += 1
        results = (*before.results[:-1], *behind.results[1:])
        return replace(behind, results=results, step=len(results))
