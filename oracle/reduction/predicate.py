"""What a reduction keeps: the fault, and how good a program it shows on."""

from __future__ import annotations

from dataclasses import dataclass

from oracle.examiner import Examiner, ExaminerError
from oracle.files import subject_from_text
from reference.releases import Release
from reference.verifier.problems import Level


@dataclass(frozen=True, slots=True)
class ShowsFault:
    """Whether a module has the fault of `signature`, by the checks of `examiner`.

    `level` is the least that the program must be: what accuses a compiler stays well-formed. None
    where the model does not know all of it. `tries` is how often to look for a fault that does not
    show every time.
    """

    examiner: Examiner
    signature: str
    rules: Release
    compiler: Release
    level: Level | None
    tries: int = 1

    def __call__(self, text: str) -> bool:
        try:
            read = subject_from_text(self.examiner, text, self.rules, self.compiler)
            if read is None or read.subject is None:
                return False
            if self.level is not None and read.level not in (self.level, Level.WELL_FORMED):
                return False
            found = self.examiner.examine([read.subject] * self.tries)
        except ExaminerError:
            return False
        return any(fault.signature == self.signature for one in found for fault in one.faults)
