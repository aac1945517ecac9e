"""What a campaign found, in plain words."""

from __future__ import annotations

from oracle.campaigns.campaign import CampaignSettings, FindingCount, Tally
from oracle.checks import AGREEMENTS, CHECKS
from oracle.verdict import State, Verdict

_TITLES = {
    State.NEW: "New, shown by iree-opt alone",
    State.MODEL: "Not shown by iree-opt alone: crosscurrent's own fault until proved otherwise",
    State.KNOWN: "Known (an entry in corpus/known)",
}


def told(tally: Tally, settings: CampaignSettings, version: str) -> str:
    """The summary: what ran, each check's count, the findings by state, and the verdict."""
    lines = [
        f"{tally.programs} programs (profile {settings.lane.profile.name}, "
        f"seed {settings.lane.seed}) against IREE {version} in {tally.seconds:.1f} s: "
        f"{tally.rate:.0f} programs/s"
    ]
    lines += [_check(name, tally) for name in settings.lane.checks]
    if tally.unsupported:
        lines.append(f"  {tally.unsupported} programs have a part the model does not know")
    if tally.invalid:
        index, why = min(tally.invalid)
        lines.append(f"  {len(tally.invalid)} programs are not valid, our fault: #{index}: {why}")
    restarts = {kind: count for kind, count in tally.restarts.items() if count}
    if restarts:
        said = ", ".join(f"{count} after a {kind}" for kind, count in sorted(restarts.items()))
        lines.append(f"  compiler processes started again: {said}")
    for state, title in _TITLES.items():
        chosen = [one for one in tally.findings.values() if one.finding.state is state]
        if chosen:
            lines += ["", f"{title}:"]
            chosen.sort(key=lambda one: (-one.count, one.finding.fault.signature))
            lines += [_finding(one, tally) for one in chosen]
    lines += ["", _verdict(tally)]
    return "\n".join(lines)


def _check(name: str, tally: Tally) -> str:
    good, bad = ("agree", "disagree") if name in AGREEMENTS else ("hold", "broken")
    counts = {verdict: n for (check, verdict), n in tally.verdicts.items() if check == name}
    agreed = counts.pop(Verdict.AGREE, 0)
    unknown = counts.pop(Verdict.UNSUPPORTED, 0)
    line = f"  {name:12} {agreed} {good}, {sum(counts.values())} {bad}"
    if tally.unanswered[name]:
        line += f", {tally.unanswered[name]} unanswered (the compiler stopped before)"
    if unknown:
        line += f", {unknown} unsupported"
    return f"{line}   ({CHECKS[name].question}?)"


def _finding(counted: FindingCount, tally: Tally) -> str:
    share = 100.0 * counted.count / max(tally.programs, 1)
    entry = f"\n      entry {counted.finding.known}" if counted.finding.known else ""
    return (
        f"  {counted.finding.fault.signature}\n"
        f"      {counted.count} programs ({share:.2f} %), first #{counted.first_seed}, "
        f"in {counted.folder}{entry}"
    )


def _verdict(tally: Tally) -> str:
    states = tally.states()
    fresh = states[State.NEW] + states[State.MODEL]
    end = "Interrupted; what was found is kept. " if tally.interrupted else ""
    if tally.failed is not None:
        end = "Stopped early. "
    if fresh:
        return f"{end}{fresh} finding{'s' * (fresh > 1)} not known."
    if states[State.KNOWN]:
        return f"{end}Nothing new; {states[State.KNOWN]} known causes met again."
    return f"{end}Nothing found."
