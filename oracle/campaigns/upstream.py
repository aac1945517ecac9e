"""A reduced finding as the draft of a report to IREE: what a maintainer needs, nothing of ours."""

from __future__ import annotations

import re
from collections.abc import Mapping

from oracle.campaigns.candidates import Candidate
from oracle.corpus import SHOWN
from oracle.verdict import Verdict

_HAPPENS = {
    Verdict.CRASH: "the compiler crashes",
    Verdict.HANG: "the compiler does not come to an end",
    Verdict.REJECTED: "the compiler refuses a valid module",
    Verdict.WRONG_VALUE: "what the module returns changes",
    Verdict.DISAGREE: "the pass leaves something else than its own rules say",
    Verdict.BROKEN_CONTRACT: "the compiler breaks a promise",
}
_EFFECTS = {
    "shows": "shows",
    "sometimes": "shows at times",
    "not": "does not show",
    "unparsed": "does not know the syntax",
}
_LONGEST_OUTPUT = 40
_FENCE = re.compile(r"`{3,}")


def upstream_report(candidate: Candidate, title: str, facts: Mapping[str, object]) -> str:
    """The report in Markdown. `facts` are those of the run that found it: crosscurrent's version,
    seed, profile, compiler. Releases are those that were tried."""
    fault, confirmation = candidate.fault, candidate.confirmation
    shows = [version for version, effect in candidate.effects.items() if effect in SHOWN]
    newest = shows[-1] if shows else "unknown"
    commands = "\n".join(command.replace("program.mlir", "reduced.mlir") for command in
                         confirmation.commands)  # fmt: skip
    parts = [
        f"# {title}",
        f"With IREE {newest}, {_HAPPENS.get(fault.verdict, fault.verdict.value)}: "
        f"`{fault.stage}` is the first stage after which it shows.",
        "## What happens",
        _fenced(fault.actual.strip() or fault.message),
        "## What is expected",
        _fenced(fault.expected),
        "## The module",
        "`reduced.mlir`:",
        _fenced(candidate.text, "mlir"),
        "## How to see it",
        _fenced(f"pip install iree-base-compiler=={newest}\n{commands}", "sh"),
        "prints" if confirmation.output.strip() else "",
        _fenced(_shortened(confirmation.output)) if confirmation.output.strip() else "",
        "## Releases tried",
        "\n".join(
            f"- {version}: {_EFFECTS[effect]}" for version, effect in candidate.effects.items()
        ),
        f"Guilty pass: `{fault.stage}`.",
        f"Found by crosscurrent {facts.get('crosscurrent')} (profile {facts.get('profile')}, seed "
        f"{facts.get('seed')}); its name there is `{candidate.signature}`.",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _fenced(text: str, language: str = "") -> str:
    """A code block that the text cannot end."""
    longest = max((len(found) for found in _FENCE.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _shortened(output: str) -> str:
    lines = output.rstrip().splitlines()
    if len(lines) <= _LONGEST_OUTPUT:
        return "\n".join(lines)
    left = len(lines) - _LONGEST_OUTPUT
    return "\n".join([*lines[:_LONGEST_OUTPUT], f"… {left} lines more"])
