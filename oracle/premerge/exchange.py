"""A pre-merge report in the forms that other tools read: JUnit, SARIF, Markdown."""

from __future__ import annotations

import json
from typing import Any

from jinja2 import Environment
from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite

from oracle.premerge.report import Report
from oracle.premerge.sorting import Kind
from oracle.version import VERSION

_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Kind.REGRESSED.value: "error", Kind.FIXED.value: "note", Kind.CHANGED.value: "warning"}
_TOLD_IN_FULL = 20
"""Differences that a comment tells whole: a pull request takes 65,536 characters."""

_LONGEST = 1500


def junit(report: Report) -> str:
    """One test case a check, which holds what regressed of its promises; and one for each change
    and each pass that is slower, which do not fail."""
    suite = TestSuite(f"premerge {report['baseline']['spec']} to {report['candidate']['spec']}")
    for check in report["checks"]:
        found = [one for one in report["differences"] if one["check"] == check]
        case = TestCase(check, classname="premerge", time=0.0)
        outcomes: list[Any] = []
        for one in found:
            if one["kind"] != Kind.REGRESSED.value:
                continue
            if one["expected"] is not None:
                outcomes.append(Skipped(f"expected: {one['signature']}"))
                continue
            failure = Failure(one["signature"], one["kind"])
            failure.text = _words(one)
            outcomes.append(failure)
        case.result = [item for item in outcomes if isinstance(item, Failure)] or outcomes[:1]
        others = [f"{one['kind']}: {one['signature']}" for one in found
                  if one["kind"] != Kind.REGRESSED.value]  # fmt: skip
        case.system_out = "\n".join([f"{report['programs']['compared']} programs", *others])
        suite.add_testcase(case)
    times = TestCase("compile time", classname="premerge", time=0.0)
    times.system_out = "\n".join(
        f"slower: {one['stage']} ×{one['ratio']}" for one in report["slower"]
    )
    suite.add_testcase(times)
    suite.time = report["seconds"]
    xml = JUnitXml()
    xml.add_testsuite(suite)
    told: bytes = xml.tostring()  # type: ignore[no-untyped-call]
    return told.decode("utf-8")


def sarif(report: Report) -> str:
    """SARIF 2.1.0: a rule for each signature, a result for each difference, in the program's file.

    What was expected is there as suppressed.
    """
    rules, results = [], []
    for one in report["differences"]:
        rules.append({
            "id": one["signature"],
            "shortDescription": {"text": f"{one['check']}: {one['kind']}"},
            "fullDescription": {"text": one["message"] or one["signature"]},
        })  # fmt: skip
        result: dict[str, Any] = {
            "ruleId": one["signature"],
            "level": _LEVELS[one["kind"]],
            "message": {"text": _words(one)},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": f"{one['folder']}/program.mlir"},
                        "region": {"startLine": 1},
                    }
                }
            ],
            "partialFingerprints": {"signature/v1": one["signature"]},
            "properties": {"kind": one["kind"], "confirmed": one["confirmed"]},
        }
        if one["expected"] is not None:
            result["suppressions"] = [{"kind": "external", "justification": one["expected"]}]
        results.append(result)
    run = {
        "tool": {"driver": {"name": "crosscurrent", "semanticVersion": VERSION, "rules": rules}},
        "results": results,
    }
    return json.dumps({"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


_MARKDOWN = Environment(autoescape=False, trim_blocks=True, lstrip_blocks=True).from_string("""\
### crosscurrent premerge: {{ verdict }}

`{{ r.baseline.spec }}` (IREE {{ r.baseline.release }}) → `{{ r.candidate.spec }}` \
(IREE {{ r.candidate.release }}), {{ r.programs.corpus }} corpus and {{ r.programs.fresh }} fresh \
programs, {{ r.programs.compared }} compared, {{ r.seconds | round | int }} s

| regressed | fixed | changed | both wrong | slower passes |
|---|---|---|---|---|
| {{ r.counts.regressed }} | {{ r.counts.fixed }} | {{ r.counts.changed }} \
| {{ r.counts["both wrong"] }} | {{ r.slower | length if r.measured else "not measured" }} |

{% for one in shown %}
<details{% if one.kind == "regressed" %} open{% endif %}><summary>
<b>{{ one.kind }}</b>{% if one.expected is not none %} (expected){% endif %}: \
<code>{{ one.signature | e }}</code>, {{ one.count }} programs, {{ one.ops }} ops\
{% if one.known %}, known{% endif %}\
{% if one.kind != "changed" and not one.confirmed %}, <b>not shown by the stock tools</b>{% endif %}

</summary>

{{ fence }}mlir
{{ one.program.strip() }}
{{ fence }}

{% for name, side in (("baseline", one.baseline), ("candidate", one.candidate)) %}
**{{ name }}**
{{ fence }}
{{ side.says.strip() | truncate(longest) }}
{% for command in side.commands %}
$ {{ command }}
{% endfor %}
{{ fence }}

{% endfor %}
</details>
{% endfor %}
{% if rest %}

{{ rest }} more are in the run's folder and its JSON.
{% endif %}
{% for one in r.slower %}
- slower: `{{ one.stage }}` ×{{ "%.2f" | format(one.ratio) }} \
(99 % interval {{ "%.2f" | format(one.low) }} to {{ "%.2f" | format(one.high) }}, \
{{ one.programs }} programs)
{% endfor %}
{% if r.unsteady %}

{{ r.unsteady | length }} differences did not come again and are left out.
{% endif %}
""")


def markdown(report: Report, verdict: str) -> str:
    """A comment for a pull request: the counts, and each difference with its program, both sides'
    answers and the commands that show it."""
    shown = report["differences"][:_TOLD_IN_FULL]
    return _MARKDOWN.render(
        r=report,
        verdict=verdict,
        shown=shown,
        rest=len(report["differences"]) - len(shown),
        fence="```",
        longest=_LONGEST,
    )


def _words(one: Report) -> str:
    lines = [one["message"] or one["signature"]]
    for side in ("baseline", "candidate"):
        lines += [f"{side}: {one[side]['says']}", *(f"$ {each}" for each in one[side]["commands"])]
    return "\n".join([*lines, "", one["program"]])
