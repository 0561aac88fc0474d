"""How often intervals cover the true difference, and tests reject a true zero.

Simulated comparisons: scores of 0 or 1, samples in clusters of two to twelve, each
cluster with a difficulty and an effect of its own; in `few flips` nearly all samples
score the same before and after, in `one large` a cluster has half of all samples.
The true difference is known by construction. Beside the sign-flip test stand the
percentile bootstrap of clusters and the t-test of samples, which knows no clusters.
Prints JSON: shares of simulated comparisons.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import t

from envscaler_eval.results.statistics import Floats, sign_flip

REPEATS = 4_000
FLIPS = 1_999
BOOTSTRAPS = 1_000
CLUSTERS = (8, 10, 20, 40)
GAIN = 0.1


@dataclass(frozen=True)
class Drawn:
    """A simulated comparison.

    Attributes:
        differences: A difference for each sample.
        names: The cluster of each sample.
    """

    differences: Floats
    names: "np.ndarray[tuple[int], np.dtype[np.int64]]"

    def by_cluster(self) -> tuple[Floats, Floats]:
        """Return each cluster's sum, and its size."""
        return (
            np.bincount(self.names, self.differences).astype(np.float64),
            np.bincount(self.names).astype(np.float64),
        )


def ordinary(clusters: int, gain: float, random: np.random.Generator) -> Drawn:
    """Draw clusters that differ in difficulty, effect and size."""
    return _drawn(random.integers(2, 13, clusters), (0.25, 0.55), 0.2, gain, random)


def few_flips(clusters: int, gain: float, random: np.random.Generator) -> Drawn:
    """Draw samples of which few change: most gains and losses come from chance alone."""
    size = random.integers(2, 13, clusters)
    drawn = _drawn(size, (0.1, 0.3), 0.1, gain * 5, random)
    # A fifth of the samples has changed at all, so that a fifth of the gain is left.
    kept = random.random(len(drawn.names)) < 0.2
    return Drawn(drawn.differences * kept, drawn.names)


def one_large(clusters: int, gain: float, random: np.random.Generator) -> Drawn:
    """Draw clusters of four samples, and one with as many as all others together."""
    sizes = np.full(clusters, 4)
    sizes[0] = 4 * (clusters - 1)
    return _drawn(sizes, (0.25, 0.55), 0.2, gain, random)


def _drawn(
    sizes: "np.ndarray[tuple[int], np.dtype[np.int64]]",
    difficulty: tuple[float, float],
    effect: float,
    gain: float,
    random: np.random.Generator,
) -> Drawn:
    count = len(sizes)
    names = np.repeat(np.arange(count), sizes)
    before = random.uniform(*difficulty, count)[names]
    after = before + gain + random.uniform(-effect, effect, count)[names]
    chance = random.random((2, len(names)))
    return Drawn((chance[1] < after).astype(np.float64) - (chance[0] < before), names)


def flipped(drawn: Drawn, random: np.random.Generator) -> tuple[float, float]:
    """Return the interval of the sign-flip test."""
    found = sign_flip(*drawn.by_cluster(), flips=FLIPS)
    return found.low, found.high


def bootstrapped(drawn: Drawn, random: np.random.Generator) -> tuple[float, float]:
    """Return the percentile interval of resampled clusters."""
    sums, sizes = drawn.by_cluster()
    count = len(sums)
    times = random.multinomial(count, np.full(count, 1 / count), BOOTSTRAPS)
    low, high = np.quantile((times @ sums) / (times @ sizes), [0.025, 0.975])
    return float(low), float(high)


def unclustered(drawn: Drawn, random: np.random.Generator) -> tuple[float, float]:
    """Return the interval of the paired t-test over samples."""
    values = drawn.differences
    reach = t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return float(values.mean() - reach), float(values.mean() + reach)


METHODS = (flipped, bootstrapped, unclustered)


def simulated(
    draw: Callable[[int, float, np.random.Generator], Drawn], clusters: int
) -> dict[str, dict[str, float]]:
    """Return for each method how often it covers a gain, and rejects where there is none."""
    random = np.random.default_rng(clusters)
    covered = dict.fromkeys((method.__name__ for method in METHODS), 0)
    rejected = dict(covered)
    for _ in range(REPEATS):
        gained, null = draw(clusters, GAIN, random), draw(clusters, 0.0, random)
        for method in METHODS:
            low, high = method(gained, random)
            covered[method.__name__] += low <= GAIN <= high
            low, high = method(null, random)
            rejected[method.__name__] += not low <= 0 <= high
    return {
        name: {"covers": covered[name] / REPEATS, "false_positives": rejected[name] / REPEATS}
        for name in covered
    }


def main() -> None:
    """Simulate and print."""
    figures = {
        draw.__name__: {clusters: simulated(draw, clusters) for clusters in CLUSTERS}
        for draw in (ordinary, few_flips, one_large)
    }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
