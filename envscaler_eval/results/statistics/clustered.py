"""A weighted mean of samples that come in clusters: its error, its interval, its test."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from envscaler_eval.results.statistics.sign_flip import Floats, sign_flip

FEWEST_CLUSTERS = 8
"""Below, no interval: the test by sign flips cannot reject at 5% with five clusters, and
with six or seven only when all have changed in one direction, so that an interval would
be endless or rest on a single pattern."""


@dataclass(frozen=True)
class ClusteredMean:
    """A mean and how sure it is.

    Attributes:
        value: The weighted mean.
        error: Its standard error, clusters taken for independent; `nan` of one
            cluster.
        low: Where its 95% interval begins; `None` below eight clusters.
        high: Where it ends.
        clusters: How many clusters there are.
    """

    value: float
    error: float
    low: float | None
    high: float | None
    clusters: int


@dataclass(frozen=True)
class DifferenceTest(ClusteredMean):
    """A mean that was tested against zero.

    Attributes:
        p: The two-sided p-value, by sign flips of clusters.
        exact: Whether it is from all sign patterns.
    """

    p: float
    exact: bool


def clustered_mean(
    values: Floats, clusters: Sequence[Hashable], weights: Floats | None = None
) -> ClusteredMean:
    """Return the weighted mean of samples, with an interval by Student's t over clusters.

    Args:
        values: A value for each sample; at least one.
        clusters: The cluster of each sample.
        weights: The weight of each sample; by default all weigh the same.
    """
    sums, sizes = _by_cluster(values, clusters, weights)
    mean, error, count = float(sums.sum()), _error(sums, sizes), len(sums)
    if count < FEWEST_CLUSTERS:
        return ClusteredMean(mean, error, None, None, count)
    from scipy.stats import t

    reach = float(t.ppf(0.975, count - 1)) * error
    return ClusteredMean(mean, error, mean - reach, mean + reach, count)


def difference_test(
    values: Floats, clusters: Sequence[Hashable], weights: Floats | None = None
) -> DifferenceTest:
    """Return the weighted mean of differences, tested by sign flips of clusters.

    The interval is the one that inverts the test: it holds zero when p > 0.05.

    Args:
        values: A difference for each sample; at least one.
        clusters: The cluster of each sample.
        weights: The weight of each sample; by default all weigh the same.
    """
    sums, sizes = _by_cluster(values, clusters, weights)
    flipped = sign_flip(sums, sizes)
    enough = len(sums) >= FEWEST_CLUSTERS
    return DifferenceTest(
        value=float(sums.sum()),
        error=_error(sums, sizes),
        low=flipped.low if enough else None,
        high=flipped.high if enough else None,
        clusters=len(sums),
        p=flipped.p,
        exact=flipped.exact,
    )


def _by_cluster(
    values: Floats, clusters: Sequence[Hashable], weights: Floats | None
) -> tuple[Floats, Floats]:
    """Return each cluster's sum of weight times value, and its weight; weights sum to 1."""
    given = np.ones(len(values)) if weights is None else weights
    shares = given / given.sum()
    names = {name: place for place, name in enumerate(dict.fromkeys(clusters))}
    places = np.array([names[name] for name in clusters])
    sums, sizes = np.zeros(len(names)), np.zeros(len(names))
    np.add.at(sums, places, shares * values)
    np.add.at(sizes, places, shares)
    return sums, sizes


def _error(sums: Floats, sizes: Floats) -> float:
    """Return the cluster-robust standard error of the mean, corrected by C / (C - 1).

    For equal weights it is statsmodels' `OLS(values, 1).fit(cov_type="cluster")`.
    """
    count = len(sums)
    if count < 2:
        return float("nan")
    residuals = sums - sums.sum() * sizes
    return float(np.sqrt(count / (count - 1) * (residuals**2).sum()))
