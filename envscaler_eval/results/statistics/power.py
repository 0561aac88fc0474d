"""What a design can find: the difference that a test misses one time in five."""

from dataclasses import dataclass
from math import ceil, inf, sqrt

from envscaler_eval.results.statistics.clustered import FEWEST_CLUSTERS

POWER = 0.8
ALPHA = 0.05

FEWEST_TO_REJECT = 6
"""Below, the test by sign flips finds nothing at 5%: of 2^5 sign patterns two are as far."""

_ROUNDING = 1e-9


def detectable_difference(
    error: float, clusters: int, power: float = POWER, largest: float = inf
) -> float | None:
    """Return the true difference that is found with a given power at 5%.

    Args:
        error: The standard error of the estimated difference.
        clusters: How many clusters it is from.
        power: The probability of finding it.
        largest: The largest difference that two scores can have.

    Returns:
        The difference, in the units of the error; or `None` where the test can find
        none with so few clusters, would find only what is larger than can be, or
        nothing varies, so that nobody knows.
    """
    if clusters < FEWEST_TO_REJECT or error < _ROUNDING:
        return None
    found = _reach(clusters, power) * error
    return found if found <= largest else None


def _reach(clusters: int, power: float) -> float:
    """Return how many standard errors a difference must have to be found."""
    from scipy.stats import t

    freedom = clusters - 1
    return float(t.ppf(1 - ALPHA / 2, freedom) + t.ppf(power, freedom))


def _normal_reach(power: float) -> float:
    from scipy.stats import norm

    return float(norm.ppf(1 - ALPHA / 2) + norm.ppf(power))


@dataclass(frozen=True)
class Variation:
    """How much the difference of two models varies from sample to sample.

    Attributes:
        tasks: Variance of the true difference over samples.
        trials: Variance of one run's difference around it: both models' chance.
        cluster_correlation: ICC(1) of differences within a cluster.
        cluster_size: Samples of a cluster.
    """

    tasks: float
    trials: float
    cluster_correlation: float
    cluster_size: float

    def error(self, samples: float, epochs: int) -> float:
        """Return the standard error of the mean difference.

        Args:
            samples: How many samples.
            epochs: How often each is run, by each model.
        """
        per_sample = self.tasks + self.trials / epochs
        design_effect = 1 + (self.cluster_size - 1) * max(0.0, self.cluster_correlation)
        return sqrt(per_sample * max(design_effect, 0.0) / samples)


def assumed_variation(
    mean: float,
    trial_correlation: float,
    model_correlation: float,
    cluster_correlation: float,
    cluster_size: float,
) -> Variation:
    """Return the variation of scores that are 0 or 1, from what is assumed of them.

    Args:
        mean: The mean score.
        trial_correlation: ICC(1) of runs of one model on one sample.
        model_correlation: Correlation of the two models' true scores over samples.
        cluster_correlation: ICC(1) of differences within a cluster.
        cluster_size: Samples of a cluster.
    """
    spread = mean * (1 - mean)
    return Variation(
        tasks=2 * spread * trial_correlation * (1 - model_correlation),
        trials=2 * spread * (1 - trial_correlation),
        cluster_correlation=cluster_correlation,
        cluster_size=cluster_size,
    )


def samples_needed(
    difference: float, variation: Variation, epochs: int, power: float = POWER
) -> int:
    """Return how many samples a difference needs to be found, in whole clusters.

    Args:
        difference: The true difference, above 0.
        variation: How much differences vary.
        epochs: How often each sample is run, by each model.
        power: The probability of finding it.
    """
    one = variation.error(variation.cluster_size, epochs)
    clusters = max(FEWEST_CLUSTERS, ceil((_normal_reach(power) * one / difference) ** 2))
    # The t-distribution asks for a few more than the normal one.
    while _reach(clusters, power) * one > difference * sqrt(clusters):
        clusters += 1
    return ceil(clusters * variation.cluster_size)
