"""Trajectories next to the ground truth, by what was done to it."""

import copy
import random
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

Calls = list[dict[str, Any]]
Turns = list[list[Calls]]

# A call of each backend that changes nothing, and one that does.
READS: Mapping[str, dict[str, Any]] = MappingProxyType(
    {
        "GorillaFileSystem": {"name": "pwd", "arguments": {}},
        "MathAPI": {"name": "add", "arguments": {"a": 1, "b": 2}},
        "MessageAPI": {"name": "list_users", "arguments": {}},
        "TwitterAPI": {"name": "posting_get_login_status", "arguments": {}},
        "TicketAPI": {"name": "ticket_get_login_status", "arguments": {}},
        "TradingBot": {"name": "get_stock_info", "arguments": {"symbol": "AAPL"}},
        "TravelAPI": {"name": "list_all_airports", "arguments": {}},
        "VehicleControlAPI": {"name": "display_log", "arguments": {"messages": ["x"]}},
    }
)
WRITES: Mapping[str, dict[str, Any]] = MappingProxyType(
    {
        "GorillaFileSystem": {"name": "touch", "arguments": {"file_name": "extra.txt"}},
        "MathAPI": {"name": "logarithm", "arguments": {"value": 3, "base": 10, "precision": 40}},
        "MessageAPI": {"name": "add_contact", "arguments": {"user_name": "Extra"}},
        "TwitterAPI": {"name": "follow_user", "arguments": {"username_to_follow": "extra"}},
        "TicketAPI": {"name": "logout", "arguments": {}},
        "TradingBot": {"name": "add_to_watchlist", "arguments": {"stock": "NVDA"}},
        "TravelAPI": {"name": "set_budget_limit", "arguments": {"budget_limit": 9.5}},
        "VehicleControlAPI": {"name": "fillFuelTank", "arguments": {"fuelAmount": 1.5}},
    }
)


def _somewhere(turns: Turns, chance: random.Random) -> int:
    """Return a turn with calls."""
    return chance.choice([i for i, steps in enumerate(turns) if any(steps)])


def _some_call(turns: Turns, chance: random.Random) -> tuple[Calls, int]:
    calls = turns[_somewhere(turns, chance)][0]
    return calls, chance.randrange(len(calls))


def _map_values(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict):
        return {key: _map_values(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_map_values(item, change) for item in value]
    return change(value)


def exact(turns: Turns, classes: Sequence[str], chance: random.Random) -> None:
    """Leave all as it is."""


def in_single_steps(turns: Turns, classes: Sequence[str], chance: random.Random) -> None:
    """Make each call in a step of its own, with empty steps among them."""
    for i, steps in enumerate(turns):
        turns[i] = [[call] for step in steps for call in step] + [[]]


def called_early(turns: Turns, classes: Sequence[str], chance: random.Random) -> None:
    """Make a turn's calls a turn earlier, and none in it."""
    if len(turns) > 1:
        i = chance.randrange(1, len(turns))
        turns[i - 1] = turns[i - 1] + turns[i]
        turns[i] = []


def called_early_then_read(turns: Turns, classes: Sequence[str], chance: random.Random) -> None:
    """Make a turn's calls a turn earlier, and a harmless one in it."""
    if len(turns) > 1:
        i = chance.randrange(1, len(turns))
        turns[i - 1] = turns[i - 1] + turns[i]
        turns[i] = [[copy.deepcopy(READS[classes[0]])]]


def emptied(turns: Turns, classes: Sequence[str], chance: random.Random) -> None:
    """Make no calls in a turn."""
    turns[_somewhere(turns, chance)] = chance.choice([[], [[]], [[], []]])


def extra_read(turns: Turns, classes: Sequence[str], chance: random.Random) -> None:
    """Make a harmless call in each turn."""
    for steps in turns:
        steps.append([copy.deepcopy(READS[chance.choice(classes)])])


def extra_write(turns: Turns, classes: Sequence[str], chance: random.Random) -> None:
    """Make a call that changes something, in any turn."""
    steps = chance.choice(turns)
    steps.insert(chance.randint(0, len(steps)), [copy.deepcopy(WRITES[chance.choice(classes)])])


def changed_argument(turns: Turns, classes: Sequence[str], chance: random.Random) -> None:
    """Change a value."""
    calls, i = _some_call(turns, chance)
    arguments = calls[i]["arguments"]
    if arguments:
        name = chance.choice(list(arguments))
        value = arguments[name]
        other = {str: "other", bool: True, int: 7, float: 7.5, list: [], dict: {}}
        arguments[name] = other.get(type(value), "other")


def unknown_keyword(turns: Turns, classes: Sequence[str], chance: random.Random) -> None:
    """Add an argument that the tool does not have."""
    calls, i = _some_call(turns, chance)
    calls[i]["arguments"][chance.choice(["bad", "not-a-name", "class", "a b", ""])] = 1


def unknown_tool(turns: Turns, classes: Sequence[str], chance: random.Random) -> None:
    """Call what does not exist, before all else in a turn."""
    names = ["nope", "exit", "run", "GorillaFileSystem.ls", "get-stock", "1st", "remove", "not a"]
    call = {"name": chance.choice(names), "arguments": {"x": 1}}
    turns[_somewhere(turns, chance)].insert(0, [call])


def nothing_but_unknown(turns: Turns, classes: Sequence[str], chance: random.Random) -> None:
    """Call nothing but what does not exist in a turn."""
    turns[_somewhere(turns, chance)] = [[{"name": "nope", "arguments": {}}]]


def numbers_as_strings(turns: Turns, classes: Sequence[str], chance: random.Random) -> None:
    """Send all numbers as text."""

    def change(value: Any) -> Any:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return str(value) if number else value

    _each_call(turns, change)


def integers_as_floats(turns: Turns, classes: Sequence[str], chance: random.Random) -> None:
    """Send integers as floats and whole floats as integers."""

    def change(value: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        return int(value) if isinstance(value, float) and value == int(value) else value

    _each_call(turns, change)


def spaced_brackets(turns: Turns, classes: Sequence[str], chance: random.Random) -> None:
    """Write brackets into texts, where the official evaluation takes a space away."""
    calls, i = _some_call(turns, chance)
    texts = [name for name, value in calls[i]["arguments"].items() if isinstance(value, str)]
    if texts:
        name = chance.choice(texts)
        calls[i]["arguments"][name] += chance.choice([" (2)", " total (2)\n", " sort (x)", "("])


def reordered(turns: Turns, classes: Sequence[str], chance: random.Random) -> None:
    """Make a turn's calls in another order."""
    for steps in turns:
        for step in steps:
            chance.shuffle(step)


def duplicated(turns: Turns, classes: Sequence[str], chance: random.Random) -> None:
    """Make a call twice."""
    calls, i = _some_call(turns, chance)
    calls.insert(i, copy.deepcopy(calls[i]))


def dropped(turns: Turns, classes: Sequence[str], chance: random.Random) -> None:
    """Leave a call out."""
    calls, i = _some_call(turns, chance)
    del calls[i]


def unreadable(turns: Turns, classes: Sequence[str], chance: random.Random) -> None:
    """Write arguments that are no JSON object."""
    calls, i = _some_call(turns, chance)
    calls[i]["arguments"] = chance.choice(["{'a': 1}", "[1]", "", '"text"', "{", "3"])


def cut_off(turns: Turns, classes: Sequence[str], chance: random.Random) -> None:
    """Break off before the last turn."""
    turns.pop()


def shared_card(turns: Turns, classes: Sequence[str], chance: random.Random) -> None:
    """Pay with a card that the instances of a long-context entry share."""
    for steps in turns:
        for step in steps:
            for call in step:
                if "card_id" in call["arguments"]:
                    call["arguments"]["card_id"] = "1234567812345678"


def _each_call(turns: Turns, change: Callable[[Any], Any]) -> None:
    for steps in turns:
        for step in steps:
            for call in step:
                call["arguments"] = _map_values(call["arguments"], change)


MUTATIONS: tuple[Callable[[Turns, Sequence[str], random.Random], None], ...] = (
    exact,
    in_single_steps,
    called_early,
    called_early_then_read,
    emptied,
    extra_read,
    extra_write,
    changed_argument,
    unknown_keyword,
    unknown_tool,
    nothing_but_unknown,
    numbers_as_strings,
    integers_as_floats,
    spaced_brackets,
    reordered,
    duplicated,
    dropped,
    unreadable,
    cut_off,
    shared_card,
)


def mutated(turns: Turns, kind: str, classes: Sequence[str], seed: str) -> Turns:
    """Return a trajectory next to another, the same for the same seed."""
    result = copy.deepcopy(turns)
    mutation = next(mutation for mutation in MUTATIONS if mutation.__name__ == kind)
    mutation(result, classes, random.Random(f"{kind}/{seed}"))
    return result
