"""Wrong arguments that look right: other ids, amounts, dates and options."""

import random
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from envscaler_eval.policies.likeness import most_alike, words
from envscaler_eval.scenario import ToolCall
from envscaler_eval.state import State
from envscaler_eval.world import ToolSpec

_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}$")
_MOMENT = re.compile(r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}")
_CLOCK = re.compile(r"^([01]\d|2[0-3]):[0-5]\d$")


class Values:
    """The values of states by the names that they stand under.

    A value of a state is of the same kind as the values that stand under the
    same key in other records, and a record's key as the keys beside it.
    """

    def __init__(self, *states: State) -> None:
        """Collect the values of one state, or of several that an episode goes through."""
        self._kinds: dict[str, list[str]] = {}
        self._names: dict[str, set[str]] = {}
        for state in states:
            for name, value in state.items():
                self._collect(value, name)

    def _collect(self, value: Any, name: str) -> None:
        if isinstance(value, dict):
            records = bool(value) and all(isinstance(item, dict) for item in value.values())
            for key, item in value.items():
                if records:
                    self._add(f"{name}/", key)
                self._collect(item, f"{name}/" if records else key)
        elif isinstance(value, list):
            for item in value:
                self._collect(item, name)
        elif isinstance(value, str):
            self._add(name, value)

    def _add(self, name: str, value: str) -> None:
        known = self._kinds.setdefault(name, [])
        if value not in self._names or name not in self._names[value]:
            known.append(value)
            self._names.setdefault(value, set()).add(name)

    def like(self, value: str) -> list[str]:
        """Return other values of the same kinds as a value, each once, in order."""
        return list(
            dict.fromkeys(
                other
                for name in sorted(self._names.get(value, ()))
                for other in self._kinds[name]
                if other != value
            )
        )

    def named(self, name: str) -> list[str]:
        """Return the values that stand under the names most like a given one."""
        groups = ((words(kind), values) for kind, values in self._kinds.items())
        return [value for values in most_alike(name, groups) for value in values]


def mutants(call: ToolCall, tool: ToolSpec, values: Values) -> Iterator[tuple[str, str, ToolCall]]:
    """Yield wrong versions of a call: the argument, what was done to it, the call.

    One argument at a time is replaced by another existing value of its kind,
    another option, a neighbouring number, date or time; optional ones are left
    out; two of one type are swapped. Arguments marked as free text are kept.

    Args:
        call: The call.
        tool: Its tool.
        values: The values that there are to mistake one for another.
    """
    chance = random.Random(f"{call.name}{sorted(map(str, call.arguments.items()))}")
    properties: Mapping[str, Any] = tool.parameters["properties"]
    fixed = [name for name in call.arguments if name not in call.free_text]
    for name in fixed:
        for other in _others(call.arguments[name], properties.get(name, {}), values, chance):
            change = f"{name}: {call.arguments[name]!r} -> {other!r}"
            yield name, change, _with(call, {**call.arguments, name: other})
        if name not in tool.parameters.get("required", ()):
            rest = {key: value for key, value in call.arguments.items() if key != name}
            yield name, f"{name} left out", _with(call, rest)
    for index, first in enumerate(fixed):
        for second in fixed[index + 1 :]:
            a, b = call.arguments[first], call.arguments[second]
            alike = _same(properties.get(first, {}), properties.get(second, {}))
            if type(a) is type(b) and a != b and alike:
                swapped = {**call.arguments, first: b, second: a}
                yield f"{first}/{second}", f"{first} and {second} swapped", _with(call, swapped)


def _with(call: ToolCall, arguments: Mapping[str, Any]) -> ToolCall:
    return ToolCall(name=call.name, arguments=dict(arguments))


def _same(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    keys = ("type", "enum", "anyOf", "items")
    return all(first.get(key) == second.get(key) for key in keys)


def _others(
    value: Any, schema: Mapping[str, Any], values: Values, chance: random.Random
) -> Iterator[Any]:
    options = _enumeration(schema)
    if options:
        yield from (option for option in options if option != value)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield value + 1
        yield value - 1
    elif isinstance(value, str):
        yield from _other_texts(value, values, chance)
    elif isinstance(value, list):
        yield from _other_lists(value, schema, values, chance)
    elif isinstance(value, dict):
        inner: Mapping[str, Any] = schema.get("properties", {})
        for key, item in value.items():
            for other in _others(item, inner.get(key, {}), values, chance):
                yield {**value, key: other}


def _enumeration(schema: Mapping[str, Any]) -> list[Any]:
    options = (schema, *schema.get("anyOf", ()))
    return [value for option in options for value in option.get("enum", ())]


def _other_texts(value: str, values: Values, chance: random.Random) -> Iterator[str]:
    if _MOMENT.match(value):
        moment = datetime.fromisoformat(value)
        for shift in (timedelta(days=1), timedelta(hours=-1)):
            yield (moment + shift).isoformat(timespec="seconds")[: len(value)]
    elif _DATE.match(value):
        day = date.fromisoformat(value)
        for days in (1, -1):
            yield (day + timedelta(days=days)).isoformat()
    elif _CLOCK.match(value):
        moment = datetime.strptime(value, "%H:%M")
        for minutes in (30, -30):
            yield (moment + timedelta(minutes=minutes)).strftime("%H:%M")
    else:
        alike = values.like(value)
        yield from chance.sample(alike, len(alike))
        if not alike:
            yield f"{value} (other)"


def _other_lists(
    value: list[Any], schema: Mapping[str, Any], values: Values, chance: random.Random
) -> Iterator[list[Any]]:
    for index, item in enumerate(value):
        if len(value) > 1:
            yield [*value[:index], *value[index + 1 :]]
        for other in _others(item, schema.get("items", {}), values, chance):
            if other not in value:
                yield [*value[:index], other, *value[index + 1 :]]
