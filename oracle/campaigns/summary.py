"""What a campaign found: as one JSON object, and in plain words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from oracle.campaigns.counts import Cause, FindingCount, OddityCount, Tally
from oracle.campaigns.findings import VERDICT
from oracle.campaigns.oddities import WORDS
from oracle.checks import AGREEMENTS, CHECKS
from oracle.verdict import State, Verdict
from oracle.wording import counted

_TITLES = {
    State.NEW: "New, shown by iree-opt alone",
    State.MODEL: "Not shown by iree-opt alone: crosscurrent's own fault until proved otherwise",
    State.KNOWN: "Known (an entry in corpus/known)",
}

_MOST_POINTS = 500
"""Points of the curve of programs over time that the summary keeps."""

_TOLD_ODDITIES = 8


def summary(
    tally: Tally, facts: Mapping[str, object], checks: Sequence[str], out: Path
) -> dict[str, object]:
    """The object that `fuzz --json` writes. `facts` say what run it is, `out` is its folder.

    `curve` is [seconds, programs done] pairs; `unsupported_constructs` and `invalid_programs` say
    what kept programs, or checks, from being judged, `mishap_programs` what crosscurrent itself did
    wrong; `coverage` counts cells of the language.
    """
    return {
        **facts,
        "programs": tally.programs,
        "seconds": round(tally.seconds, 3),
        "programs_per_second": round(tally.rate, 1),
        "seconds_to_first_verdict": tally.first_verdict_seconds,
        "invalid": tally.invalid,
        "unsupported": tally.unsupported,
        "unsupported_constructs": _odd(tally, "unsupported", out),
        "invalid_programs": _odd(tally, "invalid", out),
        "mishaps": tally.mishaps,
        "mishap_programs": _odd(tally, "mishap", out),
        "restarts": {kind: tally.restarts[kind] for kind in ("crash", "hang", "lane")},
        "interrupted": tally.interrupted,
        "failed": tally.failed,
        "checks": {name: _counts(name, tally) for name in checks},
        "findings": [_described(one, out) for _, one in sorted(tally.findings.items())],
        "coverage": dict(sorted(tally.cells.items())),
        "curve": _thinned(tally.curve),
    }


def _counts(name: str, tally: Tally) -> dict[str, int]:
    good, bad = _words(name)
    verdicts = {v: n for (check, v), n in tally.verdicts.items() if check == name}
    unsupported = verdicts.pop(Verdict.UNSUPPORTED, 0)
    agreed = verdicts.pop(Verdict.AGREE, 0)
    mishaps = verdicts.pop(Verdict.MISHAP, 0)
    return {
        good: agreed,
        bad: sum(verdicts.values()),
        "unanswered": tally.unanswered[name],
        "unsupported": unsupported,
        "mishaps": mishaps,
    }


def _words(check: str) -> tuple[str, str]:
    return ("agree", "disagree") if check in AGREEMENTS else ("hold", "broken")


def _odd(tally: Tally, kind: str, out: Path) -> list[dict[str, object]]:
    """The oddities of a kind, the most frequent first."""
    chosen = [(odd, count) for odd, count in tally.oddities.items() if odd.kind == kind]
    chosen.sort(key=lambda pair: (-pair[1].count, pair[0]))
    return [
        {
            WORDS[odd.kind]: odd.words,
            **({} if kind == "invalid" else {"check": odd.check}),
            "count": met.count,
            "first_seed": met.first_seed,
            "program": str(out / met.folder / "program.mlir"),
        }
        for odd, met in chosen
    ]


def reduction_of(out: Path, cause: Cause) -> dict[str, Any] | None:
    """What became of a finding's reduction, as its `verdict.json` says; None before it is done."""
    try:
        verdict = json.loads((out / "findings" / cause.folder / VERDICT).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    told = verdict.get("reduction") if isinstance(verdict, dict) else None
    return told if isinstance(told, dict) else None


def _described(one: FindingCount, out: Path) -> dict[str, object]:
    finding = one.finding
    folder = out / "findings" / finding.folder
    reduction = reduction_of(out, finding)
    reduced = folder / "reduced.mlir"
    return {
        "signature": finding.signature,
        "check": finding.check,
        "verdict": finding.verdict,
        "stage": finding.stage,
        "state": finding.state.value,
        "level": finding.level,
        "count": one.count,
        "first_seed": one.first_seed,
        "program": str(folder / "program.mlir"),
        "reduced": str(reduced) if reduction and reduced.is_file() else None,
        "reduction": reduction,
        "ops": finding.ops,
        "known": finding.known,
    }


def _thinned(curve: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    step = -(-len(curve) // _MOST_POINTS) or 1
    kept = [curve[at] for at in range(0, len(curve), step)]
    if curve and kept[-1] != curve[-1]:
        kept.append(curve[-1])
    return kept


def told(tally: Tally, facts: Mapping[str, object], checks: Sequence[str], out: Path) -> str:
    """The summary: what ran, each check's count, the findings by state, and the verdict."""
    compiler = facts.get("compiler")
    version = compiler.get("release") if isinstance(compiler, Mapping) else None
    shard = f", shard {facts['shard']}" if facts.get("shard") else ""
    lines = [
        f"{counted(tally.programs, 'program')} (profile {facts.get('profile')}, "
        f"seed {facts.get('seed')}{shard}) against IREE {version or 'unknown'} in "
        f"{tally.seconds:.1f} s: {tally.rate:.0f} programs/s"
    ]
    lines += [_check(name, tally) for name in checks]
    lines += _told_oddities(tally, out)
    restarts = {kind: count for kind, count in tally.restarts.items() if count}
    if restarts:
        said = ", ".join(f"{count} after a {kind}" for kind, count in sorted(restarts.items()))
        lines.append(f"  compiler processes started again: {said}")
    for state, title in _TITLES.items():
        chosen = [one for one in tally.findings.values() if one.finding.state is state]
        if chosen:
            lines += ["", f"{title}:"]
            chosen.sort(key=lambda one: (-one.count, one.finding.signature))
            lines += [_finding(one, tally, out) for one in chosen]
    if tally.reduced < tally.to_reduce:
        left = tally.to_reduce - tally.reduced
        lines += ["", f"{left} of {tally.to_reduce} findings are not reduced yet: --resume goes on"]
    lines += ["", _verdict(tally)]
    return "\n".join(lines)


def _told_oddities(tally: Tally, out: Path) -> Iterator[str]:
    for kind, programs, verbs, what in (
        ("unsupported", tally.unsupported, ("has", "have"), "a part the model does not know"),
        ("invalid", tally.invalid, ("is", "are"), "not valid, our fault"),
        ("mishap", tally.mishaps, ("makes", "make"), "crosscurrent itself go wrong"),
    ):
        if not programs:
            continue
        title = f"{counted(programs, 'program')} {verbs[programs > 1]} {what}"
        yield f"  {title}; the first of each kind is in {out / kind}:"
        chosen = [(odd, count) for odd, count in tally.oddities.items() if odd.kind == kind]
        chosen.sort(key=lambda pair: (-pair[1].count, pair[0]))
        for odd, met in chosen[:_TOLD_ODDITIES]:
            check = f"{odd.check}: " if odd.check else ""
            yield f"      {_times(met)} {check}{odd.words}, first #{met.first_seed}"
        if len(chosen) > _TOLD_ODDITIES:
            yield f"      and {len(chosen) - _TOLD_ODDITIES} kinds more"


def _times(met: OddityCount) -> str:
    return f"{met.count} x"


def _check(name: str, tally: Tally) -> str:
    good, bad = _words(name)
    counts = _counts(name, tally)
    line = f"  {name:12} {counts[good]} {good}, {counts[bad]} {bad}"
    if counts["unanswered"]:
        line += f", {counts['unanswered']} unanswered (the compiler stopped before)"
    if counts["unsupported"]:
        line += f", {counts['unsupported']} unsupported"
    if counts["mishaps"]:
        line += f", {counts['mishaps']} mishaps of ours"
    return f"{line}   ({CHECKS[name].question}?)"


def _finding(one: FindingCount, tally: Tally, out: Path) -> str:
    finding = one.finding
    share = 100.0 * one.count / max(tally.programs, 1)
    entry = f"\n      entry {finding.known}" if finding.known else ""
    reduction = reduction_of(out, finding)
    small = ""
    if reduction is not None:
        done = (
            f"reduced to {counted(reduction['ops'], 'op')}"
            if reduction.get("ops")
            else "not reduced"
        )
        why = f": {reduction['why']}" if reduction.get("why") else ""
        small = f"\n      {done}{why}"
    return (
        f"  {finding.signature}\n"
        f"      {counted(one.count, 'program')} ({share:.2f} %), first #{one.first_seed}, "
        f"in {out / 'findings' / finding.folder}{entry}{small}"
    )


def _verdict(tally: Tally) -> str:
    states = tally.states()
    fresh = states[State.NEW] + states[State.MODEL]
    end = "Interrupted; what was found is kept. " if tally.interrupted else ""
    if tally.failed is not None:
        end = "Stopped early. "
    if tally.mishaps:
        end += f"crosscurrent itself went wrong on {counted(tally.mishaps, 'program')}. "
    if fresh:
        return f"{end}{counted(fresh, 'finding')} not known."
    if states[State.KNOWN]:
        return f"{end}Nothing new; {counted(states[State.KNOWN], 'known cause')} met again."
    return f"{end}Nothing found."
