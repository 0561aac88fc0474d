"""How far a sweep has come, what failed, and what was spent."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from envscaler_eval.errors import UsageError
from envscaler_eval.prices import Price
from envscaler_eval.results.sweep_logs import LOGS, PlannedShard, manifest_of
from envscaler_eval.sweep.shard_run import shard_of_log
from envscaler_eval.sweep.store import Store
from envscaler_eval.sweep.work import DONE, FAILED, keys_in, read_failure, read_result


@dataclass
class UnitStatus:
    """How far a line of the sweep's table has come.

    Attributes:
        unit: The model, and the task with its parameters.
        shards: How many shards it has.
        episodes: How many episodes.
        shards_done: Shards that are done.
        episodes_done: Episodes in them.
        shards_failed: Shards whose last run failed.
        usage: Model -> tokens by the names of Inspect's `ModelUsage`, of what is done.
    """

    unit: str
    shards: int = 0
    episodes: int = 0
    shards_done: int = 0
    episodes_done: int = 0
    shards_failed: int = 0
    usage: dict[str, dict[str, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Failure:
    """Why a shard is not done.

    Attributes:
        unit: What it is of.
        key: The shard.
        message: Why its last run failed.
        worker: The machine.
    """

    unit: str
    key: str
    message: str
    worker: str


@dataclass(frozen=True)
class SweepStatus:
    """How far a sweep has come.

    Attributes:
        units: By task, parameters and model.
        failures: Shards whose last run failed.
        strange: Results of shards that the plan no longer has.
    """

    units: Sequence[UnitStatus]
    failures: Sequence[Failure]
    strange: int

    @property
    def is_complete(self) -> bool:
        """Whether all shards are done."""
        return all(unit.shards == unit.shards_done for unit in self.units)

    def usage(self) -> dict[str, dict[str, float]]:
        """Return the tokens of all units, by model."""
        total: dict[str, dict[str, float]] = {}
        for unit in self.units:
            for model, usage in unit.usage.items():
                _add(total.setdefault(model, {}), usage)
        return total


def sweep_status(folder: str) -> SweepStatus:
    """Read how far a sweep has come, without opening a log.

    Args:
        folder: The sweep's folder or URL.

    Raises:
        UsageError: There is no sweep, or what it has noted is damaged.
    """
    store = Store(folder)
    shards = manifest_of(store.root)
    if shards is None:
        raise UsageError(f"{folder}: there is no sweep; name the folder that `sweep run` wrote to")
    ended, failed = keys_in(store, DONE), keys_in(store, FAILED)
    done = ended - keys_without_logs(store)
    units: dict[str, UnitStatus] = {}
    for shard in shards:
        unit = units.setdefault(shard.unit, UnitStatus(shard.unit))
        unit.shards += 1
        unit.episodes += shard.episodes
        if shard.key in done:
            unit.shards_done += 1
            unit.episodes_done += shard.episodes
            for model, usage in _usage(store, shard.key).items():
                _add(unit.usage.setdefault(model, {}), usage)
        elif shard.key in failed:
            unit.shards_failed += 1
    failures = tuple(_failures(store, shards, failed - done))
    known = {shard.key for shard in shards}
    return SweepStatus(tuple(units.values()), failures, len(ended - known))


def keys_without_logs(store: Store) -> set[str]:
    """Return the shards that are noted as done and have no log."""
    ended = keys_in(store, DONE)
    # Logs are put in their place before the note: of what was noted, all are there by now.
    logs = store.names(LOGS, ".eval")
    return ended - {shard_of_log(name) for name in logs}


def dollars(usage: Mapping[str, Mapping[str, Any]], prices: Mapping[str, Price]) -> float | None:
    """Return what tokens cost; `None` where the price of one of the models is not known."""
    if not usage.keys() <= prices.keys():
        return None
    return sum(prices[model].of_usage(its) for model, its in usage.items())


def _failures(store: Store, shards: Sequence[PlannedShard], failed: set[str]) -> Iterator[Failure]:
    for shard in shards:
        if shard.key in failed:
            try:
                note = read_failure(store, shard.key)
            except FileNotFoundError:
                # It has been done meanwhile.
                continue
            yield Failure(shard.unit, shard.key, note.message, note.worker)


def _usage(store: Store, key: str) -> Mapping[str, Mapping[str, Any]]:
    def read(result: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
        return {name: dict(of) for name, of in result["usage"].items()}

    return read_result(store, key, read, "run the sweep again")


def _add(total: dict[str, float], usage: Mapping[str, Any]) -> None:
    for name, value in usage.items():
        if isinstance(value, int | float):
            total[name] = total.get(name, 0) + value
