"""Rank correlation of a property of environments with a measurement on their samples."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import atanh, sqrt, tanh

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata, t

from envscaler_eval.results.statistics import FEWEST_CLUSTERS

Array = NDArray[np.float64]

PERMUTATIONS = 10_000


@dataclass(frozen=True)
class Correlation:
    """Spearman's correlation between a property of clusters and a measurement on samples.

    Attributes:
        rho: The correlation over samples; none if one side does not vary.
        p: Two-sided, from shuffling the property among clusters.
        low: Lower end of the 95% interval; none below 8 clusters.
        high: Its upper end.
        clusters: How many clusters there are.
        samples: How many samples.
    """

    rho: float | None
    p: float | None
    low: float | None
    high: float | None
    clusters: int
    samples: int


@dataclass(frozen=True)
class _Clusters:
    """Samples summed up by cluster; all that the correlation depends on.

    Attributes:
        exposure: The property of each cluster.
        sizes: Samples of each cluster.
        sums: Each cluster's sum of the ranks of the measurement, less their mean.
        spread: Square root of the sum of squares of these ranks, less their mean.
    """

    exposure: Array
    sizes: Array
    sums: Array
    spread: float


def clustered_spearman(
    exposure: Array,
    outcome: Array,
    clusters: Sequence[str],
    seed: int = 0,
    permutations: int = PERMUTATIONS,
) -> Correlation:
    """Correlate a property of clusters with a measurement on their samples.

    The property is the same for all samples of a cluster, so that clusters, not samples,
    are what varies at random: the test shuffles the property among them, with their
    samples, and the interval leaves out one at a time (a jackknife on Fisher's scale, with
    Student's t).

    Args:
        exposure: The property, a value for each sample.
        outcome: The measurement, a value for each sample.
        clusters: The cluster of each sample.
        seed: Fixes the shuffling.
        permutations: How often to shuffle.

    Returns:
        The correlation. Without variation on a side, or with fewer than three clusters,
        there is none.

    Raises:
        ValueError: The property varies within a cluster.
    """
    names, index = np.unique(np.asarray(clusters), return_inverse=True)
    summed = _summed(exposure, outcome, index, len(names))
    count, size = len(names), len(outcome)
    if count < 3 or len(set(summed.exposure)) < 2 or summed.spread == 0:
        return Correlation(None, None, None, None, count, size)
    rho = float(_rho(summed, np.arange(count)[None, :])[0])
    chance = np.random.default_rng(seed)
    orders = chance.permuted(np.tile(np.arange(count), (permutations, 1)), axis=1)
    reached = int((np.abs(_rho(summed, orders)) >= abs(rho) - 1e-9).sum())
    low, high = _interval(rho, exposure, outcome, index, count)
    return Correlation(rho, (reached + 1) / (permutations + 1), low, high, count, size)


def _summed(exposure: Array, outcome: Array, index: NDArray[np.intp], count: int) -> _Clusters:
    of_cluster = np.zeros(count)
    of_cluster[index] = exposure
    if not np.array_equal(of_cluster[index], exposure):
        raise ValueError("the property varies within a cluster")
    ranks = rankdata(outcome)
    centred = ranks - ranks.mean()
    return _Clusters(
        of_cluster,
        np.bincount(index, minlength=count).astype(np.float64),
        np.bincount(index, weights=centred, minlength=count).astype(np.float64),
        sqrt(float(centred @ centred)),
    )


def _rho(summed: _Clusters, orders: NDArray[np.intp]) -> Array:
    """Return the correlation for each order of clusters, that is way to give them values.

    Args:
        summed: The clusters.
        orders: Shape (ways, clusters); in the i-th way the j-th cluster gets the property
            of cluster `orders[i, j]`.
    """
    values, place = np.unique(summed.exposure, return_inverse=True)
    placed = place[orders]
    ways = len(orders)
    # Samples on each value, and the mean rank that they share.
    cells = placed + len(values) * np.arange(ways)[:, None]
    weights = np.tile(summed.sizes, ways)
    sizes = np.bincount(cells.ravel(), weights, ways * len(values)).reshape(ways, -1)
    mean_ranks = sizes.cumsum(axis=1) - (sizes - 1) / 2
    centred = mean_ranks - (summed.sizes.sum() + 1) / 2
    spread = np.sqrt((sizes * centred**2).sum(axis=1))
    products = np.take_along_axis(centred, placed, axis=1) @ summed.sums
    rho: Array = products / (spread * summed.spread)
    return rho


def _interval(
    rho: float, exposure: Array, outcome: Array, index: NDArray[np.intp], count: int
) -> tuple[float | None, float | None]:
    if count < FEWEST_CLUSTERS or abs(rho) >= 1:
        return None, None
    left_out = []
    for cluster in range(count):
        kept = index != cluster
        ranks = rankdata(exposure[kept]), rankdata(outcome[kept])
        if min(np.ptp(ranks[0]), np.ptp(ranks[1])) == 0:
            return None, None
        left_out.append(float(np.corrcoef(*ranks)[0, 1]))
    scaled = np.arctanh(np.clip(left_out, -1 + 1e-12, 1 - 1e-12))
    error = sqrt((count - 1) / count * float(((scaled - scaled.mean()) ** 2).sum()))
    reach = float(t.ppf(0.975, count - 1)) * error
    return tanh(atanh(rho) - reach), tanh(atanh(rho) + reach)
