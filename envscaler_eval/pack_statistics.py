"""How large packs are, in the terms in which EnvScaler describes its environments."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from envscaler_eval.difficulty import Difficulty, difficulty
from envscaler_eval.pack import Pack
from envscaler_eval.runtime import Runtime
from envscaler_eval.state import state_hash

PUBLISHED = {
    "tools": 18.6,
    "query": 10.4,
    "change": 8.1,
    "categories": 21.4,
    "rules": 4.6,
    "scenarios": 37.3,
}
"""Means over EnvScaler's 191 environments (arXiv 2601.05808 and its repository)."""


@dataclass(frozen=True)
class PackStatistics:
    """The size of a pack.

    Attributes:
        tools: How many tools it has.
        change: How many of them change the state in some call of the pack's
            solutions, alternatives and rejections.
        categories: Kinds of facts in its initial states: a field counts once,
            however many records have it.
        rules: How many business rules it tells and enforces.
        calls: The length of each scenario's reference solution.
        difficulties: How many scenarios are of each difficulty.
    """

    tools: int
    change: int
    categories: int
    rules: int
    calls: tuple[int, ...]
    difficulties: Counter[Difficulty]


def pack_statistics(pack: Pack, runtime: Runtime) -> PackStatistics:
    """Measure a pack.

    Args:
        pack: The pack.
        runtime: Where its environment runs.
    """
    facts = {fact for scenario in pack.scenarios for fact in _facts(scenario.state, "")}
    solutions = [scenario.solution for scenario in pack.scenarios]
    levels: list[Difficulty] = [difficulty(solution) for solution in solutions]
    return PackStatistics(
        tools=len(pack.environment.tools),
        change=len(_changing_tools(pack, runtime)),
        categories=len(facts),
        rules=len(pack.info.rules),
        calls=tuple(map(len, solutions)),
        difficulties=Counter(levels),
    )


def _changing_tools(pack: Pack, runtime: Runtime) -> set[str]:
    plays = [
        (scenario.state, scenario.now, calls)
        for scenario in pack.scenarios
        for calls in (scenario.solution, *scenario.alternatives)
    ]
    plays += [(rejection.state, rejection.now, rejection.calls) for rejection in pack.rejections]
    changing = set()
    for state, now, calls in plays:
        with closing(runtime.start(state, now, pack.info.id)) as session:
            before = state_hash(session.state())
            for call in calls:
                session.call(call.name, call.arguments)
                after = state_hash(session.state())
                if after != before:
                    changing.add(call.name)
                before = after
    return changing


def _facts(value: Any, place: str) -> Iterator[str]:
    """Yield the places of facts; records of one collection share theirs."""
    if isinstance(value, dict) and value:
        records = all(isinstance(item, dict) for item in value.values())
        for key, item in value.items():
            yield from _facts(item, f"{place}/{'*' if records and place else key}")
    elif isinstance(value, list) and value:
        for item in value:
            yield from _facts(item, f"{place}/*")
    else:
        yield place
