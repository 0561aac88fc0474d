"""How far results of one sample, or of one cluster, agree."""

from collections.abc import Hashable, Sequence
from math import comb

import numpy as np

from envscaler_eval.results.statistics.sign_flip import Floats


def intraclass_correlation(values: Floats, groups: Sequence[Hashable]) -> float | None:
    """Return ICC(1), the share of the variance that lies between groups.

    From the mean squares of a one-way analysis of variance, with the average size
    of Donner and Koval (1980) where groups differ in size. It can be below 0.

    Args:
        values: The values.
        groups: The group of each.

    Returns:
        The correlation, or `None` if no group has two values, there is one group
        only, or nothing varies.
    """
    names = {name: place for place, name in enumerate(dict.fromkeys(groups))}
    places = np.array([names[name] for name in groups])
    sizes = np.bincount(places).astype(np.float64)
    total, count = len(values), len(names)
    if count < 2 or total == count:
        return None
    means = np.bincount(places, values) / sizes
    between = float((sizes * (means - values.mean()) ** 2).sum()) / (count - 1)
    within = float(((values - means[places]) ** 2).sum()) / (total - count)
    size = (total - float((sizes**2).sum()) / total) / (count - 1)
    spread = between + (size - 1) * within
    return (between - within) / spread if spread > 0 else None


def noise_flip_rate(runs: Sequence[Floats]) -> float | None:
    """Return how often two runs of one model differ on a sample, over samples run twice.

    Args:
        runs: For each sample its runs, each 0 or 1.
    """
    rates = []
    for values in runs:
        count, passed = len(values), float(values.sum())
        if count > 1:
            rates.append(2 * passed * (count - passed) / (count * (count - 1)))
    return float(np.mean(rates)) if rates else None


def pass_hat_k(runs: Sequence[Floats], k: int, weights: Floats) -> float | None:
    """Return pass^k, the probability that k runs of a sample all succeed.

    The unbiased estimator of tau-bench (arXiv 2406.12045): the mean over samples of
    C(passed, k) / C(runs, k).

    Args:
        runs: For each sample its runs, each 0 or 1.
        k: How many runs.
        weights: The weight of each sample.

    Returns:
        The probability, or `None` if a sample has fewer than k runs.
    """
    if any(len(values) < k for values in runs):
        return None
    rates = [comb(int(values.sum()), k) / comb(len(values), k) for values in runs]
    return float(np.average(rates, weights=weights))


def mcnemar(gained: int, lost: int) -> float:
    """Return the exact two-sided p-value of McNemar's test.

    It takes samples for independent, whatever their clusters.

    Args:
        gained: Samples that failed before and succeed now.
        lost: Samples that succeeded before and fail now.
    """
    from scipy.stats import binomtest

    if gained + lost == 0:
        return 1.0
    return float(binomtest(gained, gained + lost).pvalue)
