"""Given modules read back from the compiler: programs to run as they are, and to mutate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from gen.mutation.material import Features
from gen.mutation.seeds import is_scheduled, prepared, why_not_mutable
from oracle.examiner import Examiner
from oracle.files import Piece, ReadPiece, subjects_from
from oracle.seeds.seeds import GivenText, Parent, Seed, Seeds
from reference.ir import Program
from reference.ops import Cast
from reference.releases import Release


def read_seeds(
    examiner: Examiner, texts: Iterable[GivenText], release: Release, features: Features
) -> Seeds:
    """The programs in some modules, functions that have nothing to do with each other apart.

    Raises ExaminerError where the compiler cannot be asked.
    """
    seeds: list[Seed] = []
    parents: list[Parent] = []
    notes: list[str] = []
    for text in texts:
        for read in _read(examiner, text, release):
            name = _name(text, read)
            if read.subject is None:
                notes.append(f"not a seed: {'; '.join((name, *read.notes))}")
                continue
            program = read.subject.program
            if program is not None and all(one.is_declaration for one in program.functions):
                notes.append(f"not a seed: {name}: it has no function with a body")
                continue
            usable = program is not None and not is_scheduled(program)
            seed = Seed(
                name, read.subject.text, read.functions, program, read.level if usable else None
            )
            seeds.append(seed)
            why = _why_not_mutated(read, program, features)
            if why is not None:
                notes.append(f"only as it is: {name}: {why}")
            elif program is not None:
                parents.append(Parent(name, prepared(program)))
    return Seeds(tuple(seeds), tuple(parents), tuple(notes))


def _read(examiner: Examiner, text: GivenText, release: Release) -> Iterator[ReadPiece]:
    path = Path(text.name)
    found = subjects_from(examiner, Piece(path, text.text, text.line), release, release)
    if text.line > 1 and all(one.subject is not None for one in found):
        # Lines of the file are for people; a finding's program need not begin with empty ones.
        found = subjects_from(examiner, Piece(path, text.text, 1), release, release)
    for one in found:
        wanted = text.functions is None or not one.functions
        if wanted or not set(one.functions).isdisjoint(text.functions or ()):
            yield one


def _name(text: GivenText, read: ReadPiece) -> str:
    functions = read.functions or text.functions or ()
    return " ".join((f"{text.name}:{text.line}", *(f"@{name}" for name in functions)))


def _why_not_mutated(read: ReadPiece, program: Program | None, features: Features) -> str | None:
    if program is None:
        return "; ".join(("the model does not know all of it", *read.unsupported))
    if not features.casts and any(isinstance(one, Cast) for one in program.operations()):
        return "a release that is asked has no casts"
    return why_not_mutable(program)
