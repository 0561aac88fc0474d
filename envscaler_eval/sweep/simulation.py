"""A sweep played through in events: shards handed out, calls that vary, slow machines."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from envscaler_eval.sweep.capacity import Load, Measured


@dataclass(frozen=True)
class Weather:
    """What differs from one episode and one machine to the next.

    Attributes:
        call_spread: How far the seconds of single calls lie apart: 0 all alike, 1 as those of
            a server without memory.
        slow_share: The share of machines that are slow.
        slow_by: How many times longer a slow machine computes.
    """

    call_spread: float = 1.0
    slow_share: float = 0.02
    slow_by: float = 2.0


CALM = Weather(call_spread=0.0, slow_share=0.0)


def simulate(
    loads: Sequence[Load],
    nodes: int,
    cores: int,
    costs: Measured,
    weather: Weather = CALM,
    seed: int = 0,
) -> float:
    """Return how many seconds a sweep takes on machines, played through.

    Args:
        loads: The shards.
        nodes: How many machines.
        cores: Cores of each, with a worker each.
        costs: What pieces of work cost.
        weather: What varies.
        seed: Fixes what chance decides.
    """
    chance = Random(seed)
    slow = [chance.random() < weather.slow_share for _ in range(nodes)]
    pace = [weather.slow_by if slow[worker // cores] else 1.0 for worker in range(nodes * cores)]
    waiting = [load for load in loads for _ in range(load.shards)]
    chance.shuffle(waiting)
    # Workers by the time at which each is free.
    free = [(0.0, worker, True) for worker in range(min(nodes * cores, len(waiting)))]
    heapq.heapify(free)
    driver = end = 0.0
    for load in waiting:
        now, worker, fresh = heapq.heappop(free)
        driver = max(driver, now) + costs.driver
        start = driver + (costs.worker_start * pace[worker] if fresh else 0.0)
        ended = start + _shard_seconds(load, costs, pace[worker], weather, chance)
        end = max(end, ended)
        heapq.heappush(free, (ended, worker, False))
    return end


def _shard_seconds(
    load: Load, costs: Measured, pace: float, weather: Weather, chance: Random
) -> float:
    """Play a shard: so many episodes live at once, on one core that they share."""
    computing = pace * (costs.episode + load.calls * costs.call)
    begun = pace * costs.shard_start
    slots = [begun] * min(load.live, max(1, round(load.episodes)))
    core = begun
    for _ in range(round(load.episodes)):
        start = heapq.heappop(slots)
        core = max(core, start) + computing
        # An episode ends when its models have answered and it has had its share of the core.
        answered = start + _answered(load, weather, chance)
        heapq.heappush(slots, max(answered, core))
    return max(slots)


def _answered(load: Load, weather: Weather, chance: Random) -> float:
    if not load.seconds or not weather.call_spread:
        return load.seconds
    # The sum of so many calls whose lengths spread as told.
    shape = load.calls / weather.call_spread**2
    return chance.gammavariate(shape, load.seconds / shape)
