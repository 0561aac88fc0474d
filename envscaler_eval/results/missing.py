"""What missing episodes could change: bounds, if all of them had scored 0, or 1."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from envscaler_eval.results.pairing import Pairs, SampleRuns, sample_weights


@dataclass(frozen=True)
class Bounds:
    """Where a figure lies whatever the missing episodes would have scored.

    Attributes:
        low: The lowest value it can have.
        high: The highest.
    """

    low: float
    high: float


def score_range(*sides: Iterable[SampleRuns]) -> tuple[float, float]:
    """Return the lowest and the highest score: 0 and 1, or what was seen beyond."""
    seen = [float(value) for side in sides for runs in side for value in runs.values]
    return min([0.0, *seen]), max([1.0, *seen])


def largest_difference(limits: tuple[float, float]) -> float:
    """Return the largest difference of two scores; of scores beyond 0 to 1 nobody knows it."""
    return 1.0 if limits == (0.0, 1.0) else inf


def mean_bounds(runs: Sequence[SampleRuns], macro: bool, limits: tuple[float, float]) -> Bounds:
    """Return the bounds of one model's mean.

    Args:
        runs: Its runs, those that are missing counted.
        macro: See `sample_weights`.
        limits: The lowest and the highest score.
    """
    weights = sample_weights(runs, macro)
    low, high = (
        float(weights @ np.array([one.mean_with(limit) for one in runs])) for limit in limits
    )
    return Bounds(low, high)


def difference_bounds(pairs: Pairs, macro: bool, limits: tuple[float, float]) -> Bounds:
    """Return the bounds of the difference: all missing for one model, all against it."""
    before = mean_bounds(pairs.before, macro, limits)
    after = mean_bounds(pairs.after, macro, limits)
    return Bounds(after.low - before.high, after.high - before.low)
