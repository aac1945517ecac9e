"""Fixtures that several packages' tests share."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from samples import Ask

# The suite is the same every time, on a busy machine too; `--hypothesis-profile explore` looks for
# what it has not seen.
_UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("suite", _UNTIMED, derandomize=True, database=None)
settings.register_profile("explore", _UNTIMED)
settings.load_profile("suite")


@pytest.fixture(scope="session")
def ask() -> Ask:
    """Asks the installed compiler, in this process: `ask(text, step, …)` gives the steps' results.

    A refused text or a failed pass is a failed assertion.
    """
    pytest.importorskip("iree.compiler")
    from oracle.compiling.worker import make_answerer

    answer = make_answerer()

    def steps(text: str, *asked: list[object]) -> list[object]:
        reply = answer({"job": 0, "text": text, "steps": [["parse"], *asked]}, lambda step: None)
        assert reply["failure"] is None, f"{reply['failure']}\n{text}"
        return reply["results"][1:]

    return steps
