"""Simulations: the interval covers, the test does not cry wolf, a planted gain is found.

Scores are 0 or 1 and come in clusters of different sizes, each with a difficulty
and an effect of its own; the true difference is known by construction.
`perf/coverage.py` does the same with more repetitions and other data.
"""

import numpy as np
import pytest

from envscaler_eval.results.statistics import (
    Floats,
    Variation,
    assumed_variation,
    samples_needed,
    sign_flip,
)

_REPEATS = 2000
_FLIPS = 999


def _clustered(clusters: int, gain: float, random: np.random.Generator) -> tuple[Floats, Floats]:
    """Return each cluster's sum of differences, and its size."""
    sizes = random.integers(2, 13, clusters)
    names = np.repeat(np.arange(clusters), sizes)
    before = random.uniform(0.25, 0.55, clusters)[names]
    after = before + gain + random.uniform(-0.2, 0.2, clusters)[names]
    draws = random.random((2, len(names)))
    differences = (draws[1] < after).astype(float) - (draws[0] < before)
    return np.bincount(names, differences, clusters).astype(np.float64), sizes.astype(np.float64)


@pytest.mark.parametrize("clusters", [10, 20, 40])
def test_the_interval_covers_and_the_test_errs_as_often_as_promised(clusters: int) -> None:
    random = np.random.default_rng(clusters)
    covered = rejected = 0
    for _ in range(_REPEATS):
        found = sign_flip(*_clustered(clusters, 0.1, random), flips=_FLIPS)
        covered += found.low <= 0.1 <= found.high
        rejected += sign_flip(*_clustered(clusters, 0.0, random), flips=_FLIPS).p <= 0.05
    assert 0.93 <= covered / _REPEATS <= 0.97
    assert rejected / _REPEATS <= 0.06


def _differences(
    variation: Variation, samples: int, gain: float, random: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return normal differences that vary in just that way, summed by cluster."""
    size = int(variation.cluster_size)
    clusters = samples // size
    spread = variation.tasks + variation.trials
    shared = random.normal(0, np.sqrt(spread * variation.cluster_correlation), (clusters, 1))
    own = random.normal(0, np.sqrt(spread * (1 - variation.cluster_correlation)), (clusters, size))
    return (gain + shared + own).sum(axis=1), np.full(clusters, float(size))


@pytest.mark.parametrize(("gain", "size", "correlation"), [(0.2, 1, 0.0), (0.15, 10, 0.1)])
def test_a_planted_gain_is_found_with_the_power_that_the_plan_promises(
    gain: float, size: int, correlation: float
) -> None:
    variation = assumed_variation(0.5, 0.45, 0.7, correlation, size)
    samples = samples_needed(gain, variation, epochs=1)
    random = np.random.default_rng(size)
    found = [
        sign_flip(*_differences(variation, samples, gain, random), flips=_FLIPS).p <= 0.05
        for _ in range(_REPEATS)
    ]
    assert 0.77 <= np.mean(found) <= 0.85


def test_the_plan_reproduces_the_known_table_of_detectable_differences() -> None:
    variation = assumed_variation(0.5, 0.45, 0.7, 0.0, 1)
    for difference, epochs, samples in ((0.052, 1, 1000), (0.063, 8, 200), (0.097, 4, 114)):
        assert samples_needed(difference, variation, epochs) == pytest.approx(samples, rel=0.03)
