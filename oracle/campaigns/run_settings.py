"""What a run was asked to do, as its folder remembers it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from oracle.seeds.seeds import GivenText

_FORMAT = 1


class RunSettingsError(Exception):
    """Settings that cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """All that the programs, the questions and the answers of a run depend on.

    `programs` is the fingerprint of where programs come from, `compiler` is spec, release and
    revision, `known` gives corpus entries by signature. `examples` counts programs of all shards
    together, `seconds` is for how long, one of the two is set. `timeout` is in seconds, `memory` in
    MiB, `block` in programs. `shard` is (I, N).
    """

    crosscurrent: str
    programs: str
    seed: int
    profile: str
    checks: tuple[str, ...]
    compiler: Mapping[str, str | None]
    rules: str
    examples: int | None
    seconds: float | None
    shard: tuple[int, int]
    timeout: float
    memory: int
    block: int
    known: Mapping[str, str]
    merged: tuple[str, ...] = ()
    """The runs that this one was put together from."""
    missing: tuple[int, ...] = ()
    """The shards that were not there when it was."""
    seeds: tuple[GivenText, ...] = ()
    """The modules that programs are made of, besides those that are generated."""

    def text(self) -> str:
        """As it stands in a file."""
        return json.dumps({"format": _FORMAT, **asdict(self)}, indent=2) + "\n"

    @classmethod
    def from_text(cls, text: str) -> RunSettings:
        """What `text()` wrote. Raises RunSettingsError."""
        try:
            told: dict[str, Any] = json.loads(text)
            number = told.pop("format")
            if number != _FORMAT:
                raise RunSettingsError(
                    f"its format is number {number}, this version of crosscurrent reads {_FORMAT}"
                )
            for name in ("checks", "shard", "merged", "missing"):
                told[name] = tuple(told[name])
            told["seeds"] = tuple(map(_given, told.get("seeds", ())))
            settings = cls(**told)
            if not (isinstance(settings.seed, int) and isinstance(settings.compiler, dict)):
                raise TypeError("seed or compiler")
            return settings
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise RunSettingsError(f"it is damaged ({error})") from None

    def facts(self) -> dict[str, object]:
        """What the JSON summary and findings say of a run."""
        seeds = list(dict.fromkeys(one.name for one in self.seeds))
        shard = None if self.shard == (1, 1) else "/".join(map(str, self.shard))
        return {
            "crosscurrent": self.crosscurrent,
            "seed": self.seed,
            "profile": self.profile,
            "examples": self.examples,
            "compiler": dict(self.compiler),
            "rules": self.rules,
            **({} if shard is None else {"shard": shard}),
            **({"seeds": seeds} if seeds else {}),
            **({"missing_shards": list(self.missing)} if self.missing else {}),
        }

    def differences(self, other: RunSettings, besides: Iterable[str] = ()) -> list[str]:
        """What the two differ in, one line each; where a compiler lies does not count."""
        found = []
        for name in (field.name for field in fields(self)):
            if name in besides:
                continue
            ours, theirs = _compared(self, name), _compared(other, name)
            if ours != theirs:
                if name == "known":
                    ours, theirs = "one corpus", "another"
                elif name == "seeds":
                    ours, theirs = "one set", "another"
                found.append(f"{name}: {ours} and {theirs}")
        return found


def _given(told: dict[str, Any]) -> GivenText:
    functions = told["functions"]
    return GivenText(**{**told, "functions": None if functions is None else tuple(functions)})


def _compared(settings: RunSettings, name: str) -> object:
    value = getattr(settings, name)
    if name == "compiler":
        return f"{value.get('release')} ({value.get('revision')})"
    return list(value) if isinstance(value, tuple) else value
