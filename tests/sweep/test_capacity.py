"""What is told of a plan beforehand, beside a simulation in events."""

from dataclasses import replace

import pytest

from envscaler_eval.sweep.capacity import MEASURED, Bound, Load, estimate
from envscaler_eval.sweep.simulation import CALM, Weather, simulate

# All calls and machines alike: what the formula leaves out is small.
TOLERANCE = 0.12
POLICIES = Load(shards=0, episodes=100, calls=10, seconds=0.0, live=100)
SERVED = Load(shards=0, episodes=60, calls=10, seconds=20.0, live=6)
ALL_LIVE = Load(shards=0, episodes=20, calls=10, seconds=60.0, live=20)
TINY = Load(shards=0, episodes=2, calls=2, seconds=0.0, live=100)


@pytest.mark.parametrize("nodes", [1, 10, 100, 1000])
@pytest.mark.parametrize("load", [POLICIES, SERVED, ALL_LIVE, TINY], ids=str)
@pytest.mark.parametrize("waves", [1.0, 2.5])
def test_the_estimate_is_what_a_calm_simulation_takes(load: Load, nodes: int, waves: float) -> None:
    loads = [replace(load, shards=round(nodes * 2 * waves))]
    told = estimate(loads, nodes * 2, MEASURED).seconds
    assert simulate(loads, nodes, 2, MEASURED, CALM) == pytest.approx(told, rel=TOLERANCE)


@pytest.mark.parametrize("nodes", [10, 100, 1000])
def test_calls_that_vary_add_little_where_each_connection_serves_many_episodes(
    nodes: int,
) -> None:
    loads = [replace(SERVED, shards=nodes * 6)]
    told = estimate(loads, nodes * 2, MEASURED).seconds
    assert told < simulate(loads, nodes, 2, MEASURED, Weather(slow_share=0.0)) < 1.3 * told


def test_calls_that_vary_add_much_where_all_episodes_are_live() -> None:
    loads = [replace(ALL_LIVE, shards=600)]
    told = estimate(loads, 200, MEASURED).seconds
    assert simulate(loads, 100, 2, MEASURED, Weather(slow_share=0.0)) > 1.3 * told


def test_a_slow_machine_delays_the_end_of_what_computes() -> None:
    loads = [replace(POLICIES, shards=600)]
    calm = simulate(loads, 100, 2, MEASURED, CALM)
    slow = simulate(loads, 100, 2, MEASURED, Weather(slow_share=0.05, slow_by=3.0))
    assert 1.1 * calm < slow < 3.0 * calm


@pytest.mark.parametrize(
    ("load", "workers", "bound"),
    [
        (replace(POLICIES, shards=100), 10, "CPUs"),
        (replace(SERVED, shards=100), 10, "provider"),
        (replace(TINY, shards=1_000_000), 100_000, "driver"),
    ],
)
def test_what_binds_is_named_and_more_of_it_helps(load: Load, workers: int, bound: Bound) -> None:
    told = estimate([load], workers, MEASURED)
    assert told.bottleneck == bound
    assert told.seconds >= max(told.bounds.values())
    relief = {
        "CPUs": (load, workers * 2, MEASURED),
        "provider": (replace(load, live=load.live * 2), workers, MEASURED),
        "driver": (load, workers, replace(MEASURED, driver=MEASURED.driver / 2)),
    }
    one, more, costs = relief[bound]
    assert estimate([one], more, costs).seconds < 0.9 * told.seconds


def test_more_workers_than_shards_help_nobody() -> None:
    loads = [replace(POLICIES, shards=10)]
    assert estimate(loads, 10, MEASURED) == estimate(loads, 1000, MEASURED)
