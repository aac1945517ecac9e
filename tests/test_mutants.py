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
from benchmarks.mutants.reach import Reach, reach
from benchmarks.mutants.recording import offsets, record
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
        "places": list(enumerate(offsets(recording), start=1)), "seconds": 1.0,
    }  # fmt: skip
    unchanged = Path(file_name).read_text()
    guard = next(
        made
        for site in sites(ROOT, [PLACEMENT])
        if _drops(site, "if transfer.explicit_affinity is not None")
        and (made := mutate(ROOT, site)) is not None
    )
    past = reach(recording, names, Path(sys.executable), ROOT / "reference")
    (line,) = {number for number, text in enumerate(unchanged.splitlines(), start=1)
               if "if transfer.explicit_affinity is not None" in text}  # fmt: skip
    assert 0 < len(past.of(Path(file_name), (line, line))) <= 40
    assert _asked(task, unchanged)["killed"] is None
    assert _asked(task, guard.source)["killed"] is not None
    assert _asked(task, "raise RuntimeError")["killed"] == 0
    endless = unchanged.replace(
        "    transfers = [", "    while True:\n        pass\n    transfers = [", 1
    )
    assert _asked(task, endless) == {"killed": 1, "how": "raises TimeoutError"}


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


def test_what_is_run_with_a_place_is_its_statement_or_condition(tmp_path: Path) -> None:
    source = (
        "flag = not 1 == 2\n"
        "def rule(a: int, b: int) -> int:\n"
        "    if a == 1:\n"
        "        return 0\n"
        "    elif (a\n"
        "          == 2):\n"
        "        return max(\n"
        "            a, b)\n"
        "    return b\n"
    )
    (tmp_path / "sample.py").write_text(source)
    spans = {(site.line, site.span) for site in sites(tmp_path, ["sample"])}
    assert (1, None) in spans
    assert {span for line, span in spans if line == 3} == {(3, 3)}
    assert (6, (5, 6)) in spans
    assert (7, (7, 8)) in spans


def test_a_mutant_is_put_to_the_programs_that_come_past(tmp_path: Path) -> None:
    file = tmp_path / "rule.py"
    past = Reach([0, 10, 20], {str(file): {4: frozenset({3}), 5: frozenset({1, 3})}})
    assert past.of(file, (4, 4)) == [(3, 20)]
    assert past.of(file, (3, 5)) == [(1, 0), (3, 20)]
    assert past.of(file, (9, 9)) == []
    assert past.of(file, None) == [(1, 0), (2, 10), (3, 20)]
