"""A picture's arrows and the judge of hazards have one idea of what comes before what."""

from __future__ import annotations

import importlib.metadata
import itertools

from gen.profiles import PROFILES
from gen.programs import program
from oracle.compiling import stages
from oracle.compiling.worker import make_answerer
from oracle.reading.command_level import setting_of
from oracle.reading.reader import read_program
from reference.commands.buffers import Who
from reference.ir import UnsupportedOperationError
from reference.text import print_program
from reference.timeline import Kind, Piece, timelines

VERSION = importlib.metadata.version("iree-base-compiler")


def earlier_regions(pieces: tuple[Piece, ...]) -> dict[int, set[int]]:
    """For each region, counted from 1, the regions that the arrows lead from."""
    before: dict[int, set[int]] = {}
    for piece in pieces:
        found = set(piece.awaits) | ({piece.after} if piece.after else set())
        before[piece.number] = found | {one for other in found for one in before[other]}
    regions = [piece.number for piece in pieces if piece.kind is Kind.REGION]
    ordinal = {number: place for place, number in enumerate(regions, 1)}
    return {
        ordinal[number]: {ordinal[one] for one in before[number] if one in ordinal}
        for number in regions
    }


def test_regions_come_after_others_as_the_judge_of_hazards_has_it() -> None:
    answer = make_answerer()
    names = [stage.name for stage in stages.pipeline(VERSION, "lean")]
    pipeline = stages.joined(VERSION, names[: names.index("schedule-allocation") + 1], "lean")
    compared = apart = 0
    for index in range(40):
        made = program(5, index, PROFILES["well-formed"])
        steps = [["parse"], ["run", pipeline], ["read"]]
        reply = answer({"job": 0, "text": print_program(made), "steps": steps}, lambda _: None)
        if reply["failure"] is not None:
            continue  # A fault of the compiler's.
        read = read_program(reply["results"][-1])  # type: ignore[index]
        try:
            (trace, *_) = setting_of(made).traces(read.program)
        except UnsupportedOperationError:
            continue
        (timeline,) = timelines(read.program) or (None,)
        if read.unsupported or timeline is None:
            continue
        drawn = earlier_regions(timeline.pieces)
        actors = [touch.access.actor for touch in trace.touches]
        devices = [one for one in actors if one.who is Who.DEVICE and one.region]
        for one, other in itertools.permutations(devices, 2):
            if one.region == other.region:
                continue
            assert other.follows(one) == (one.region in drawn[other.region]), index
            compared += 1
            apart += not other.follows(one)
    assert compared > 500
    assert apart > 100
