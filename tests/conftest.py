"""Fixtures that several packages' tests share."""

from __future__ import annotations

import pytest
from samples import Ask


@pytest.fixture(scope="session")
def ask() -> Ask:
    """Asks the installed compiler, in this process: `ask(text, step, …)` gives the steps' results.

    A refused text or a failed pass is a failed assertion.
    """
    pytest.importorskip("iree.compiler")
    from oracle.worker import make_answerer

    answer = make_answerer()

    def steps(text: str, *asked: list[object]) -> list[object]:
        reply = answer({"job": 0, "text": text, "steps": [["parse"], *asked]}, lambda step: None)
        assert reply["failure"] is None, f"{reply['failure']}\n{text}"
        return reply["results"][1:]

    return steps
