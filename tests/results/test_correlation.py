"""Rank correlation by cluster: right where scipy has it, and honest about clusters."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from envscaler_eval.results.similarity.correlation import Correlation, clustered_spearman


def _simulated(effect: float, seed: int, clusters: int = 20, alike: float = 0.7) -> Correlation:
    """Correlate a property of clusters of unequal size with what shares their noise."""
    chance = np.random.default_rng(seed)
    index = np.repeat(np.arange(clusters), chance.integers(1, 12, clusters))
    exposure, shared = chance.normal(size=(2, clusters))
    outcome = effect * exposure[index] + alike * shared[index] + chance.normal(size=len(index))
    return clustered_spearman(
        exposure[index], np.round(outcome), [f"env-{n}" for n in index], seed, permutations=300
    )


def test_the_correlation_is_spearman_s_over_samples() -> None:
    chance = np.random.default_rng(1)
    index = np.repeat(np.arange(9), [1, 4, 2, 7, 3, 3, 5, 1, 6])
    exposure = np.array([0.1, 0.4, 0.4, 0.2, 0.9, 0.7, 0.7, 0.3, 0.5])[index]
    outcome = np.round(exposure + chance.normal(size=len(index)))
    found = clustered_spearman(exposure, outcome, [str(n) for n in index])
    assert found.rho == pytest.approx(spearmanr(exposure, outcome).statistic)
    assert (found.clusters, found.samples) == (9, 32)


def test_with_a_sample_to_a_cluster_the_p_value_is_the_permutation_test_s() -> None:
    chance = np.random.default_rng(2)
    exposure = chance.normal(size=30)
    outcome = 0.4 * exposure + chance.normal(size=30)
    found = clustered_spearman(exposure, outcome, [str(n) for n in range(30)])
    assert found.p == pytest.approx(spearmanr(exposure, outcome).pvalue, rel=0.25)


def test_a_planted_relation_is_found() -> None:
    assert np.mean([_simulated(1.0, seed).p or 1 for seed in range(40)]) < 0.05


@pytest.mark.parametrize("clusters", [10, 20])
def test_without_a_relation_few_are_found_and_the_interval_covers(clusters: int) -> None:
    found = [_simulated(0, seed, clusters) for seed in range(300)]
    assert np.mean([(each.p or 0) <= 0.05 for each in found]) <= 0.075
    covered = [each.low is not None and each.low <= 0 <= (each.high or 0) for each in found]
    assert 0.92 <= np.mean(covered) <= 0.985


def test_samples_as_if_independent_would_find_relations_that_are_not_there() -> None:
    """The test of the test: the simulation has the clustering that matters."""
    naive = []
    for seed in range(200):
        chance = np.random.default_rng(seed)
        index = np.repeat(np.arange(20), 8)
        exposure, shared = chance.normal(size=(2, 20))
        outcome = 0.7 * shared[index] + chance.normal(size=len(index))
        naive.append(spearmanr(exposure[index], outcome).pvalue <= 0.05)
    assert np.mean(naive) > 0.15


@pytest.mark.parametrize(
    ("exposure", "outcome"), [([1, 1, 1, 1], [1, 2, 3, 4]), ([1, 2, 3, 4], [5, 5, 5, 5])]
)
def test_without_variation_there_is_no_correlation(
    exposure: list[float], outcome: list[float]
) -> None:
    found = clustered_spearman(np.array(exposure), np.array(outcome), ["a", "b", "c", "d"])
    assert (found.rho, found.p, found.low, found.high) == (None, None, None, None)


def test_below_eight_clusters_there_is_no_interval() -> None:
    values = np.array([0.1, 0.5, 0.2, 0.9, 0.4])
    found = clustered_spearman(values, np.array([1.0, 2, 4, 3, 5]), list("abcde"))
    assert found.rho is not None
    assert found.low is found.high is None


def test_a_property_that_varies_within_a_cluster_is_refused() -> None:
    with pytest.raises(ValueError, match="varies within a cluster"):
        clustered_spearman(np.array([1.0, 2, 3]), np.array([1.0, 2, 3]), ["a", "a", "b"])
