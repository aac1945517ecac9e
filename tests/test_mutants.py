"""The mutants of the model: each operator changes what it says, and a change is noticed."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import parso
import pytest
from cosmic_ray.operators.operator import Operator

from benchmarks.mutants.command import EQUIVALENT, ROOT, RULES
from benchmarks.mutants.operators import operators
from benchmarks.mutants.recording import record
from benchmarks.mutants.sites import Site, mutate, sites, spread
from gen.profiles import PROFILES
from gen.programs import program
from oracle.campaigns.lane import subject_of
from oracle.checks import CHECKS
from oracle.examiner import Examiner, ExaminerSettings
from reference.releases import release_rules

OURS = [one for one in operators() if type(one).__module__.startswith("benchmarks.")]
PLACEMENT = "reference.placement"


@pytest.mark.parametrize("operator", OURS, ids=lambda one: type(one).__name__)
def test_an_operator_changes_what_its_examples_say(operator: Operator, tmp_path: Path) -> None:
    for number, example in enumerate(operator.examples()):
        name = f"sample{number}"
        (tmp_path / f"{name}.py").write_text(example.pre_mutation_code)
        (site,) = (
            one for one in sites(tmp_path, [name]) if one.operator.__class__ is type(operator)
        )
        made = mutate(tmp_path, site)
        assert made is not None
        assert made.source == example.post_mutation_code


def test_every_function_has_its_turn_before_one_has_a_second() -> None:
    every = sites(ROOT, [PLACEMENT])
    ordered = spread(every, 1)
    functions = {site.function for site in every}
    assert {site.function for site in ordered[: len(functions)]} == functions
    assert sorted(map(id, ordered)) == sorted(map(id, every))
    assert [site.line for site in spread(every, 1)] == [site.line for site in ordered]


def test_annotations_and_printing_are_left_alone(tmp_path: Path) -> None:
    source = (
        "value: int | None = None\n"
        "def assembly(self: int) -> int | None:\n    return self == 1\n"
        "def rule(self: int | None) -> int | None:\n    return self\n"
    )
    (tmp_path / "sample.py").write_text(source)
    assert sites(tmp_path, ["sample"]) == []
    assert parso.parse(source).get_code() == source


def test_rules_are_named_as_modules() -> None:
    assert PLACEMENT in RULES
    assert "reference.text" not in RULES


def test_equivalents_name_their_reason() -> None:
    for entry in tomllib.loads(EQUIVALENT.read_text()).get("mutant", []):
        assert {"module", "function", "operator", "after", "reason"} == set(entry)
        assert entry["module"] in RULES


def test_a_changed_rule_is_noticed_and_an_unchanged_one_is_not(tmp_path: Path) -> None:
    version = pytest.importorskip("importlib.metadata").version("iree-base-compiler")
    release, _ = release_rules(version)
    if not release.explicit_transfer_execution:
        pytest.skip("this release has no placement pass")
    settings = ExaminerSettings(Path(sys.executable))
    # `affinity` takes off what it has read.
    names = ["placement", "affinity", "schedule"]
    recording = tmp_path / "recording"
    subjects = (
        subject_of(program(1, index, PROFILES["placement"]), release, release)
        for index in range(40)
    )
    with (
        recording.open("wb") as file,
        Examiner(settings, [CHECKS[name] for name in names]) as examiner,
    ):
        record(subjects, settings, examiner, file)
    file_name = str(ROOT / "reference" / "placement.py")
    task = {
        "recording": str(recording), "checks": names, "interpreter": sys.executable,
        "module": PLACEMENT, "file": file_name,
    }  # fmt: skip
    unchanged = Path(file_name).read_text()
    guard = next(
        made
        for site in sites(ROOT, [PLACEMENT])
        if _drops(site, "if transfer.explicit_affinity is not None")
        and (made := mutate(ROOT, site)) is not None
    )
    assert _asked(task, unchanged)["killed"] is None
    assert _asked(task, guard.source)["killed"] is not None
    assert _asked(task, "raise RuntimeError")["killed"] == 0


def _drops(site: Site, line: str) -> bool:
    source = (ROOT / "reference" / "placement.py").read_text().splitlines()
    return type(site.operator).__name__ == "DropGuard" and line in source[site.line - 1]


def _asked(task: dict[str, object], source: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.mutants.evaluation"],
        input=json.dumps({**task, "source": source}), capture_output=True, text=True, cwd=ROOT,
        check=True,
    )  # fmt: skip
    answer: dict[str, object] = json.loads(done.stdout)
    return answer
