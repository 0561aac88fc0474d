"""What a plan takes on so many machines: a model of time with constants that were measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

Bound = Literal["CPUs", "provider", "driver"]


@dataclass(frozen=True)
class Measured:
    """What pieces of work cost; `perf/capacity.py` measures them, and docs/sweeps.md says where.

    Attributes:
        worker_start: CPU seconds until a new worker's first shard goes as later ones do.
        shard_start: CPU seconds of a shard besides its episodes.
        episode: CPU seconds of an episode besides its model calls.
        call: CPU seconds of a model call, with the tool calls that it asks for.
        driver: CPU seconds of the one process that hands out shards, for each.
        worker_memory: MB of a worker without a live episode.
        episode_memory: MB of a live episode.
        shard_log: Bytes of a log besides its episodes.
        episode_log: Bytes of an episode in a log, besides its calls.
        call_log: Bytes of a model call in a log.
    """

    worker_start: float
    shard_start: float
    episode: float
    call: float
    driver: float
    worker_memory: float
    episode_memory: float
    shard_log: float
    episode_log: float
    call_log: float


@dataclass(frozen=True)
class Load:
    """Shards that are alike.

    Attributes:
        shards: How many.
        episodes: Episodes of each, on average.
        calls: Model calls of an episode, all its models together.
        seconds: Seconds that the calls of an episode take, one after another.
        live: How many episodes of a shard can wait for models at once.
    """

    shards: int
    episodes: float
    calls: float
    seconds: float
    live: int

    def cpu(self, costs: Measured) -> float:
        """Return the CPU seconds of a shard."""
        return costs.shard_start + self.episodes * (costs.episode + self.calls * costs.call)

    def waiting(self) -> float:
        """Return the seconds that a shard waits for models, with as many live as can be."""
        return ceil(self.episodes / self.live) * self.seconds


@dataclass(frozen=True)
class Estimate:
    """What a plan takes.

    Attributes:
        seconds: By the clock, from the start to the last shard.
        bounds: What each resource alone would take, in seconds.
        cpu_seconds: Of all workers.
        worker_mb: Memory of a worker, at most.
        log_bytes: Of all logs.
    """

    seconds: float
    bounds: dict[Bound, float]
    cpu_seconds: float
    worker_mb: float
    log_bytes: float

    @property
    def bottleneck(self) -> Bound:
        """The resource that more of would help most."""
        return max(self.bounds, key=lambda bound: self.bounds[bound])


def estimate(loads: Sequence[Load], workers: int, costs: Measured) -> Estimate:
    """Return what loads take on workers that have a core each.

    A worker does one shard at a time, so a last wave that is not full takes as long as a full
    one. Within a shard, episodes compute while others wait, so the longer of the two counts.

    Args:
        loads: The shards.
        workers: How many shards run at once.
        costs: What pieces of work cost.
    """
    shards = sum(load.shards for load in loads)
    busy = min(workers, shards)

    def waves(one: Sequence[float]) -> float:
        """Return what shards take that have these seconds each, by load."""
        total = sum(load.shards * each for load, each in zip(loads, one, strict=True))
        mean = total / shards
        return mean * ceil(shards / workers)

    cpu = [load.cpu(costs) for load in loads]
    waiting = [costs.shard_start + load.waiting() if load.seconds else 0.0 for load in loads]
    bounds: dict[Bound, float] = {
        "CPUs": costs.worker_start + waves(cpu),
        "provider": costs.worker_start + waves(waiting) if any(waiting) else 0.0,
        "driver": shards * costs.driver,
    }
    both = costs.worker_start + waves([max(pair) for pair in zip(cpu, waiting, strict=True)])
    # Shards are handed out one after another. Those of the last wave go to the workers that began
    # first; the worker that began last has no more to do than the waves before.
    full = ceil(shards / workers) - 1
    one = (both - costs.worker_start) / (full + 1)
    began_first = both + (shards - full * workers) * costs.driver
    began_last = costs.worker_start + max(1, full) * one + busy * costs.driver
    # With many short shards the driver hands out one after the other, from when all workers have
    # a first and one of them is free again.
    idle_until = max(busy * costs.driver, costs.worker_start + one)
    last = idle_until + (shards - busy) * costs.driver + one if full else 0.0
    return Estimate(
        seconds=max(began_first, began_last, last),
        bounds=bounds,
        cpu_seconds=busy * costs.worker_start
        + shards * costs.driver
        + sum(load.shards * each for load, each in zip(loads, cpu, strict=True)),
        worker_mb=costs.worker_memory
        + max(min(load.live, load.episodes) for load in loads) * costs.episode_memory,
        log_bytes=sum(
            load.shards
            * (costs.shard_log + load.episodes * (costs.episode_log + load.calls * costs.call_log))
            for load in loads
        ),
    )


# By `perf/capacity.py`, on the machine that docs/sweeps.md names. The start of a worker reads the
# packs of the whole library.
MEASURED = Measured(
    worker_start=9.8,
    shard_start=0.1,
    episode=0.0145,
    call=0.0088,
    driver=0.0009,
    worker_memory=200.0,
    episode_memory=0.35,
    shard_log=9_300.0,
    episode_log=7_700.0,
    call_log=520.0,
)
