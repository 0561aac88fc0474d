"""Chance: random calls whose arguments are plausible."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from numbers import Real
from typing import Any

from envscaler_eval.policies.likeness import most_alike, words
from envscaler_eval.policies.policy import DONE, Turn, View
from envscaler_eval.scenario import ToolCall
from envscaler_eval.world import ToolSpec

CALLS = 40
"""How many calls the random policy makes."""

_CANDIDATES = 6


class RandomCalls:
    """A policy that calls random tools with arguments valid by their schemas.

    Identifiers, names, dates and the like are drawn from what it has observed
    under a similar key, and of several random calls it makes the one that needs
    the fewest guesses, so that a good part of its calls succeeds: chance level
    is the reward of acting plausibly without understanding.
    """

    def __init__(self, tools: Sequence[ToolSpec], seed: int | str, calls: int = CALLS) -> None:
        """Act at random.

        Args:
            tools: The tools to choose from.
            seed: Fixes the choices, together with what is observed.
            calls: How many calls to make before claiming to be done.
        """
        self._tools = tools
        self._seed = seed
        self._calls = calls

    def __call__(self, view: View) -> Turn:
        """Return one random call, or the claim to be done."""
        if view.step >= self._calls:
            return Turn(DONE)
        chance = random.Random(f"{self._seed}/{view.step}")
        seen = _Seen(view.observations)
        candidates = (self._candidate(seen, chance) for _ in range(_CANDIDATES))
        call, _ = min(candidates, key=lambda candidate: candidate[1])
        return Turn(calls=(call,))

    def _candidate(self, seen: "_Seen", chance: random.Random) -> tuple[ToolCall, int]:
        """Return a random call and how many of its values are guesses."""
        tool = chance.choice(self._tools)
        properties: Mapping[str, Any] = tool.parameters["properties"]
        required = tool.parameters.get("required", ())
        seen.guesses = 0
        arguments = {
            name: _value(name, schema, seen, chance)
            for name, schema in properties.items()
            if name in required or chance.random() < 0.5
        }
        return ToolCall(name=tool.name, arguments=arguments), seen.guesses


class _Seen:
    """What observations hold, to be asked for by the words of a name.

    Attributes:
        guesses: How often nothing seen served.
    """

    def __init__(self, observations: Sequence[str]) -> None:
        self.guesses = 0
        self._groups = [group for text in observations for group in _scalars(text)]
        self._alike: dict[tuple[str, type], list[Any]] = {}

    def like(self, name: str, kind: type) -> list[Any]:
        """Return values of a kind, those seen under the most similar keys."""
        known = self._alike.get((name, kind))
        if known is None:
            groups = (group for group in self._groups if isinstance(group[1][0], kind))
            known = [value for values in most_alike(name, groups) for value in values]
            self._alike[name, kind] = known
        return known


@lru_cache(maxsize=4096)
def _scalars(observation: str) -> tuple[tuple[frozenset[str], tuple[Any, ...]], ...]:
    """Return the distinct scalars of an observation, grouped by type and by the
    words of the keys above them."""
    try:
        content = json.loads(observation)
    except ValueError:
        return ()
    groups: dict[tuple[frozenset[str], type], dict[Any, None]] = {}
    for its_words, value in _collect(content, ""):
        groups.setdefault((its_words, type(value)), {})[value] = None
    return tuple((its_words, tuple(values)) for (its_words, _), values in groups.items())


def _collect(value: Any, key: str) -> Iterator[tuple[frozenset[str], Any]]:
    if isinstance(value, dict):
        for inner, item in value.items():
            # The keys of a mapping of records are identifiers of what the mapping names.
            if isinstance(item, dict) and key:
                yield words(key), inner
                yield from _collect(item, key)
            else:
                yield from _collect(item, inner)
    elif isinstance(value, list):
        for item in value:
            yield from _collect(item, key)
    elif value is not None and not isinstance(value, bool):
        yield words(key), value


def _value(name: str, schema: Mapping[str, Any], seen: _Seen, chance: random.Random) -> Any:
    if "anyOf" in schema:
        return _value(name, chance.choice(schema["anyOf"]), seen, chance)
    if "enum" in schema:
        return chance.choice(schema["enum"])
    match schema.get("type"):
        case "boolean":
            return chance.random() < 0.5
        case "integer":
            return _drawn(seen.like(name, int), chance, chance.randint(1, 10))
        case "number":
            return _drawn(seen.like(name, Real), chance, round(chance.uniform(1, 100), 2))
        case "array":
            items = schema.get("items", {"type": "string"})
            return [_value(name, items, seen, chance) for _ in range(chance.randint(1, 2))]
        case "object":
            properties: Mapping[str, Any] = schema.get("properties", {})
            return {key: _value(key, inner, seen, chance) for key, inner in properties.items()}
        case "null":
            return None
        case _:
            texts = seen.like(name, str)
            seen.guesses += not texts
            return _drawn(texts, chance, "note")


def _drawn(candidates: list[Any], chance: random.Random, otherwise: Any) -> Any:
    return chance.choice(candidates) if candidates else otherwise
