"""Drawing records and requests at random."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from envscaler_eval import core_yaml
from envscaler_eval.scenario import ToolCall

RECORDS = 12


@dataclass(frozen=True)
class Request:
    """One thing to be done.

    Attributes:
        words: How it is asked for.
        about: What has been done afterwards.
        met: An expression over `final` that tells whether it has been.
        calls: What does it.
    """

    words: str
    about: str
    met: str
    calls: tuple[ToolCall, ...]


@dataclass(frozen=True)
class Draw:
    """A random source, and the people that it may name."""

    random: Random
    held_out: bool

    def people(self) -> list[str]:
        """Return names of different people; those held out occur in no training scenario."""
        words = _words()
        names = [
            f"{first} {last}" for first in words["first_names"] for last in words["last_names"]
        ]
        chosen = [name for i, name in enumerate(names) if (i % 4 == 0) == self.held_out]
        return self.random.sample(chosen, RECORDS)

    def some(self, kind: str) -> list[str]:
        """Return different words of a kind in random order."""
        return self.random.sample(_words()[kind], RECORDS)

    def records(self, prefix: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the rows under random ids."""
        numbers = sorted(self.random.sample(range(100, 1000), len(rows)))
        return {f"{prefix}-{number}": row for number, row in zip(numbers, rows, strict=True)}


Drawn = tuple[dict[str, Any], list[Request]]
"""A state, and a few requests that do not touch the same records."""


def call(tool: str, /, **arguments: str) -> ToolCall:
    """Return a call of a tool."""
    return ToolCall(name=tool, arguments=dict(arguments))


def becomes(collection: str, record_id: str, field: str, value: str | None) -> str:
    """Return the expression that a field of a record has a value in the end."""
    return f'final["{collection}"]["{record_id}"]["{field}"] == {value!r}'


@lru_cache
def _words() -> dict[str, list[str]]:
    words: dict[str, list[str]] = core_yaml.load(
        Path(__file__).with_name("words.yaml").read_text(encoding="utf-8")
    )
    return words
