"""What is told of a plan before it runs, as tables."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from envscaler_eval.prices import Price
from envscaler_eval.results.document import Document, PlainTable
from envscaler_eval.sweep.capacity import MEASURED, Bound, Measured, estimate
from envscaler_eval.sweep.planning import UnitDemand
from envscaler_eval.sweep.shards import Shard
from envscaler_eval.sweep.simulation import Weather, simulate

_NONE = "-"
# Playing more episodes through takes longer than a person waits.
_MOST_SIMULATED = 500_000
_REMEDIES: Mapping[Bound, str] = {
    "CPUs": "more cores shorten it, until there is a core for each shard",
    "provider": "higher `limits`, or models that answer faster, shorten it",
    "driver": "more `samples_per_shard` shorten it: one process hands shards out",
}


def cut_document(shards: Sequence[Shard]) -> Document:
    """Return how a plan is cut."""
    count = Counter(shard.unit.name for shard in shards)
    episodes: Counter[str] = Counter()
    for shard in shards:
        episodes[shard.unit.name] += len(shard.samples) * shard.unit.trials
    rows = tuple((name, str(count[name]), f"{episodes[name]:,}") for name in count)
    numbers = [{"unit": name, "shards": count[name], "episodes": episodes[name]} for name in count]
    table = PlainTable("Shards", ("model/task", "shards", "episodes"), rows)
    return Document("Plan", (table,), (), _json({"units": numbers}))


def estimate_document(
    asked: Sequence[UnitDemand],
    nodes: int,
    cores: int,
    prices: Mapping[str, Price],
    costs: Measured = MEASURED,
) -> Document:
    """Return what a plan takes.

    Args:
        asked: What its lines ask for.
        nodes: Machines.
        cores: Cores of each, with a worker each.
        prices: Prices by model, for those that are known.
        costs: What pieces of work cost.
    """
    loads = [one.load for one in asked]
    told = estimate(loads, nodes * cores, costs)
    varied = None
    if sum(load.shards * load.episodes for load in loads) <= _MOST_SIMULATED:
        varied = simulate(loads, nodes, cores, costs, Weather())
    dollars = [one.dollars(prices) for one in asked]
    known = [cost for cost in dollars if cost is not None]
    notes = [
        f"By the clock: {_duration(told.seconds)}"
        + (f"; {_duration(varied)} where calls vary and some machines are slow" if varied else ""),
        f"What binds: {told.bottleneck}; {_REMEDIES[told.bottleneck]}",
        f"Memory of a worker: {told.worker_mb:,.0f} MB. Logs: {told.log_bytes / 1e6:,.1f} MB. "
        f"CPU: {told.cpu_seconds / 3600:,.2f} hours.",
    ]
    if prices and len(known) == len(asked):
        notes.append(f"Tokens: ${sum(known):,.2f}, nothing cached")
    numbers = {
        "nodes": nodes,
        "cores": cores,
        "estimate": asdict(told) | {"bottleneck": told.bottleneck},
        "seconds_with_stragglers": varied,
        "units": [
            {
                "unit": one.unit.name,
                **asdict(one.load),
                "tokens": {model: asdict(row) for model, row in one.rows.items()},
                "dollars": cost,
            }
            for one, cost in zip(asked, dollars, strict=True)
        ],
    }
    tables = _asked_table(asked, dollars), _bounds_table(told.bounds)
    return Document("Estimate", tables, tuple(notes), _json(numbers))


def _asked_table(asked: Sequence[UnitDemand], dollars: Sequence[float | None]) -> PlainTable:
    rows = []
    for one, cost in zip(asked, dollars, strict=True):
        episodes = one.load.shards * one.load.episodes
        rows.append(
            (
                one.unit.name,
                f"{one.load.shards:,}",
                f"{episodes:,.0f}",
                f"{episodes * one.load.calls:,.0f}",
                _millions(sum(row.read for row in one.rows.values())),
                _millions(sum(row.written for row in one.rows.values())),
                _NONE if cost is None else f"{cost:,.2f}",
            )
        )
    headers = ("model/task", "shards", "episodes", "calls", "M input", "M output", "$")
    return PlainTable("Asked for", headers, tuple(rows))


def _bounds_table(bounds: Mapping[Bound, float]) -> PlainTable:
    return PlainTable(
        "What each alone would take",
        ("resource", "time"),
        tuple((name, _duration(seconds) if seconds else _NONE) for name, seconds in bounds.items()),
    )


def _millions(tokens: float) -> str:
    return f"{tokens / 1e6:,.2f}" if tokens else _NONE


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _json(numbers: object) -> bytes:
    return json.dumps(numbers, indent=1, sort_keys=True, default=float).encode() + b"\n"
