"""Programs of the command level as text, and what is seen when they are run."""

from __future__ import annotations

from samples import Ask

from oracle.reading.raw import origin
from oracle.reading.reader import read_program
from reference.commands.breaches import Breach, Grounds, breaches
from reference.commands.events import Trace
from reference.commands.run import run
from reference.ir import Program
from reference.values.inputs import inputs_of
from reference.values.kernels import Interfaces
from reference.values.terms import Terms

CONSTANTS = (
    "".join(
        f"%c{number} = arith.constant {number} : index\n"
        for number in (0, 4, 8, 12, 16, 32, 48, 64)
    )
    + "%p7 = arith.constant 7 : i32\n%c0_i64 = arith.constant 0 : i64\n"
)


def module(body: str, arguments: str = "", results: str = "", outside: str = "") -> str:
    """A module with one function: `!r<…>`, `!tp` and `<@a>` stand for what they are short for."""
    arrow = f" -> ({results})" if results else ""
    text = (
        "module {\nutil.global private @a : !hal.device\nutil.global private @b : !hal.device\n"
        f"{outside}\nutil.func public @main({arguments}){arrow} {{\n{CONSTANTS}{body}\n}}\n}}\n"
    )
    text = text.replace("!r<", "!stream.resource<").replace("!tp", "!stream.timepoint")
    return text.replace("<@a>", "#hal.device.affinity<@a>").replace(
        "<@b>", "#hal.device.affinity<@b>"
    )


def program_of(ask: Ask, text: str) -> Program:
    """The program that a text is."""
    (answer,) = ask(text, ["read"])
    read = read_program(answer)
    assert read.complete, read.unsupported
    return read.program


def traces(program: Program) -> list[Trace]:
    """A run for each set of inputs."""
    terms, interfaces = Terms(), Interfaces(program)
    return [run(program, inputs, terms, interfaces) for inputs in inputs_of(program)]


def found(
    ask: Ask,
    body: str,
    arguments: str = "",
    results: str = "",
    outside: str = "",
    grounds: Grounds | None = None,
) -> list[Breach]:
    """What a function breaks."""
    program = program_of(ask, module(body, arguments, results, outside))
    judged = grounds or Grounds(origin)
    return [breach for trace in traces(program) for breach in breaches(trace, judged)]


def shapes(breached: list[Breach]) -> list[str]:
    """The shapes of breaches, joined by slashes."""
    return ["/".join(breach.shape) for breach in breached]
