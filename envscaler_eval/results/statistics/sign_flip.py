"""The sign-flip test of a mean by cluster, and the interval that inverts it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_EXACT_CLUSTERS = 16
"""Up to so many clusters all sign patterns are tried, with more a random part of them."""

RANDOM_FLIPS = 9_999

_CHUNK = 4_000_000
_TOLERANCE = 1e-12

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SignFlip:
    """What the test says.

    Attributes:
        p: The two-sided p-value of a mean of zero.
        low: Where the interval begins: the smallest mean that the test does not reject.
        high: Where it ends.
        exact: Whether all sign patterns were tried.
    """

    p: float
    low: float
    high: float
    exact: bool


def sign_flip(
    sums: Floats, weights: Floats, alpha: float = 0.05, flips: int = RANDOM_FLIPS, seed: int = 0
) -> SignFlip:
    """Test whether a weighted mean of independent clusters is zero.

    Under the hypothesis each cluster's sum is as likely to have the opposite sign,
    whatever its variance and however its samples hang together; the p-value is
    the share of sign patterns whose total is as far from zero. It is exact for
    symmetric sums at any number of clusters, where the normal approximation and
    the bootstrap are too sure. (Fisher 1935; for clusters Canay, Romano and Shaikh
    2017, doi 10.3982/ECTA13081.)

    The interval holds the means m that the test of `sums - m * weights` does not
    reject. For one sign pattern s with totals A of the sums and B of the weights,
    |A - m B| >= |a - m b| holds between the two roots of the equation, so that the
    interval's ends are quantiles of those roots, and nothing has to be searched.

    Args:
        sums: For each cluster the sum of weight times value.
        weights: For each cluster the sum of its weights, above 0.
        alpha: 1 - the interval's confidence.
        flips: How many sign patterns are tried where there are too many for all.
        seed: Fixes the random part of the sign patterns.
    """
    count = len(sums)
    exact = count <= MOST_EXACT_CLUSTERS
    patterns = _all_patterns(count) if exact else _random_patterns(count, flips, seed)
    as_far: list[NDArray[np.bool_]] = []
    lows: list[Floats] = []
    highs: list[Floats] = []
    total, weight = float(sums.sum()), float(weights.sum())
    scale = float(np.abs(sums).sum())
    for signs in patterns:
        flipped, flipped_weight = signs @ sums, signs @ weights
        as_far.append(np.abs(flipped) >= abs(total) - _TOLERANCE * scale)
        low, high = _roots(total, weight, flipped, flipped_weight)
        lows.append(low)
        highs.append(high)
    tried = np.concatenate(as_far)
    rank = int(np.floor(alpha * len(tried)))
    return SignFlip(
        p=float(tried.mean()),
        low=float(np.sort(np.concatenate(lows))[rank]),
        high=float(np.sort(np.concatenate(highs))[::-1][rank]),
        exact=exact,
    )


def _roots(total: float, weight: float, flipped: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the means between which a pattern's total is as far from zero as the true one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        same = (total - flipped) / (weight - weights)
        opposite = (total + flipped) / (weight + weights)
    low, high = np.minimum(same, opposite), np.maximum(same, opposite)
    # The pattern that flips nothing, or everything, is as far whatever the mean is.
    trivial = np.abs(np.abs(weights) - weight) <= _TOLERANCE * weight
    low[trivial], high[trivial] = -np.inf, np.inf
    return low, high


def _all_patterns(count: int) -> Iterator[Floats]:
    """Return all patterns but those that are the opposite of another."""
    numbers = np.arange(2 ** (count - 1), dtype=np.uint32)
    bits = (numbers[:, None] >> np.arange(count, dtype=np.uint32)) & 1
    yield _signs(bits)


def _random_patterns(count: int, flips: int, seed: int) -> Iterator[Floats]:
    """Return the pattern that flips nothing and random ones, in chunks of some megabytes."""
    yield np.ones((1, count))
    random = np.random.default_rng(seed)
    size = max(1, _CHUNK // count)
    for start in range(0, flips, size):
        rows = min(size, flips - start)
        bits = np.unpackbits(random.integers(0, 256, (rows, -(-count // 8)), np.uint8), axis=1)
        yield _signs(bits[:, :count])


def _signs(bits: NDArray[Any]) -> Floats:
    return 1.0 - 2.0 * bits.astype(np.float64)
