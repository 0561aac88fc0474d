"""What a plan rests on: logs, and what is assumed where they do not tell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from envscaler_eval.errors import UsageError
from envscaler_eval.results.missing import largest_difference, score_range
from envscaler_eval.results.pairing import SampleRuns, pair
from envscaler_eval.results.statistics import (
    POWER,
    Variation,
    assumed_variation,
    intraclass_correlation,
)


@dataclass(frozen=True)
class Assumptions:
    """What is assumed where no logs tell.

    The defaults are round figures between those that were measured on runs of
    Tau-Bench, whose ICC(1) of trials is 0.41 to 0.53.

    Attributes:
        mean: The mean score, of scores that are 0 or 1.
        trial_correlation: ICC(1) of runs of one model on one sample.
        model_correlation: Correlation of two models' true scores over samples.
        cluster_correlation: ICC(1) of differences within a cluster.
        cluster_size: Samples of a cluster.
        power: The probability of finding the difference.
    """

    mean: float = 0.5
    trial_correlation: float = 0.45
    model_correlation: float = 0.7
    cluster_correlation: float = 0.05
    cluster_size: float = 1.0
    power: float = POWER

    def check(self) -> None:
        """Check the numbers.

        Raises:
            UsageError: One is out of its range.
        """
        for name in ("mean", "trial_correlation", "model_correlation", "cluster_correlation"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise UsageError(f"{name} is {value}; use a number from 0 to 1")
        if not 0 < self.power < 1:
            raise UsageError(f"power is {self.power}; use a number between 0 and 1")
        if self.cluster_size < 1:
            raise UsageError(f"cluster_size is {self.cluster_size}; use 1 or more")


@dataclass(frozen=True)
class Basis:
    """What a plan rests on.

    Attributes:
        name: The task, or "assumed".
        variation: How much differences vary.
        samples: How many samples the logs have, if there are logs.
        clusters: How many clusters.
        largest: The largest difference that two scores can have.
        assumed: What no log told.
    """

    name: str
    variation: Variation
    samples: int | None
    clusters: int | None
    largest: float
    assumed: tuple[str, ...]


def basis_from_assumptions(assumed: Assumptions) -> Basis:
    """Return the basis of a plan without logs."""
    variation = assumed_variation(
        assumed.mean,
        assumed.trial_correlation,
        assumed.model_correlation,
        assumed.cluster_correlation,
        assumed.cluster_size,
    )
    told = (
        f"mean {assumed.mean}",
        f"ICC of trials {assumed.trial_correlation}",
        f"correlation of the models {assumed.model_correlation}",
        f"ICC of clusters {assumed.cluster_correlation}",
        f"{assumed.cluster_size:g} samples a cluster",
    )
    return Basis("assumed", variation, None, None, 1.0, told)


def basis_from_runs(
    name: str,
    before: Mapping[str, SampleRuns],
    after: Mapping[str, SampleRuns] | None,
    assumed: Assumptions,
) -> Basis:
    """Return the basis of a plan from one model's runs, or two models'.

    Args:
        name: The task.
        before: One model's runs, by sample.
        after: Another's, or `None`, when it is assumed how alike they would be.
        assumed: What is assumed where the runs do not tell.

    Raises:
        UsageError: Fewer than two samples have a score.
    """
    told: list[str] = []
    first = [runs for runs in before.values() if len(runs.values)]
    if after is None:
        kept, values = first, np.array([runs.mean for runs in first])
        noises = [_trial_noise(first, assumed, told)] * 2
    else:
        pairs = pair(before, after)
        both = [
            (one, other)
            for one, other in zip(pairs.before, pairs.after, strict=True)
            if len(one.values) and len(other.values)
        ]
        kept = [one for one, _ in both]
        values = np.array([other.mean - one.mean for one, other in both])
        noises = [_trial_noise([two[side] for two in both], assumed, told) for side in (0, 1)]
    if len(kept) < 2:
        raise UsageError(f"{name}: fewer than two samples have a score; a plan needs more")
    clusters = [runs.cluster for runs in kept]
    count = len(set(clusters))
    epochs = float(np.mean([len(runs.values) for runs in kept]))
    if after is None:
        spread = max(0.0, float(values.var(ddof=1)) - noises[0] / epochs)
        tasks = 2 * spread * (1 - assumed.model_correlation)
        correlation: float | None = None
        told.append(f"correlation of the models {assumed.model_correlation}")
    else:
        tasks = max(0.0, float(values.var(ddof=1)) - sum(noises) / epochs)
        correlation = intraclass_correlation(values, clusters)
    if correlation is None:
        correlation = assumed.cluster_correlation
        if len(kept) > count:
            told.append(f"ICC of clusters {correlation}")
    variation = Variation(tasks, sum(noises), correlation, len(kept) / count)
    largest = largest_difference(score_range(before.values(), after.values() if after else ()))
    return Basis(name, variation, len(kept), count, largest, tuple(dict.fromkeys(told)))


def _trial_noise(runs: Sequence[SampleRuns], assumed: Assumptions, told: list[str]) -> float:
    """Return the variance of a model's runs of one sample."""
    repeated = [one.values for one in runs if len(one.values) > 1]
    if repeated:
        return float(np.mean([values.var(ddof=1) for values in repeated]))
    told.append(f"ICC of trials {assumed.trial_correlation}")
    return (1 - assumed.trial_correlation) * float(np.var([one.mean for one in runs]))
