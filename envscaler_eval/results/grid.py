"""Scores of several runs on one task, aligned by sample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from envscaler_eval.results.missing import Bounds
from envscaler_eval.results.statistics import (
    ClusteredMean,
    DifferenceTest,
    clustered_mean,
    difference_test,
)

Array = NDArray[np.float64]


class Missing(NamedTuple):
    """Episodes of a run without a score.

    Attributes:
        episodes: How many.
        bounds: Where the run's mean lies whatever they would have scored.
    """

    episodes: int
    bounds: Bounds


@dataclass(frozen=True, eq=False)
class ScoreGrid:
    """The scores of labelled runs on the samples that all of them have.

    Attributes:
        task: The task.
        score: The score that is compared.
        labels: The runs.
        samples: The samples' ids.
        clusters: The cluster of each sample.
        groups: The part of the task that each sample is of, if the task has parts.
        values: Mean scores over epochs, shape (samples, labels).
        steps: Mean generations over epochs, likewise; NaN where no log tells.
        weights: The weight of each sample; they add up to 1.
        missing: Label -> what its missing episodes leave open. Samples without any score in
            a run are in no other figure.
        notes: What a reader has to know of the comparison, a line each.
    """

    task: str
    score: str
    labels: tuple[str, ...]
    samples: tuple[str, ...]
    clusters: tuple[str, ...]
    groups: tuple[str | None, ...]
    values: Array
    steps: Array
    weights: Array
    missing: Mapping[str, Missing]
    notes: tuple[str, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the task, sorted."""
        return tuple(sorted({group for group in self.groups if group is not None}))

    def part(self, group: str) -> "ScoreGrid":
        """Return the samples of one part of the task."""
        kept = [place for place, name in enumerate(self.groups) if name == group]
        return replace(
            self,
            samples=tuple(self.samples[place] for place in kept),
            clusters=tuple(self.clusters[place] for place in kept),
            groups=tuple(self.groups[place] for place in kept),
            values=self.values[kept],
            steps=self.steps[kept],
            weights=np.full(len(kept), 1 / len(kept)),
        )

    def of_labels(self, labels: Sequence[str]) -> "ScoreGrid":
        """Return these runs, in this order."""
        places = [self.labels.index(label) for label in labels]
        return replace(
            self,
            labels=tuple(labels),
            values=self.values[:, places],
            steps=self.steps[:, places],
        )

    def mean(self, label: str) -> ClusteredMean:
        """Return a run's mean score with its interval."""
        return clustered_mean(self._of(label), self.clusters, self.weights)

    def difference(self, before: str, after: str) -> DifferenceTest:
        """Return what a run has more than another, paired by sample."""
        return self.contrast({after: 1.0, before: -1.0})

    def contrast(self, coefficients: Mapping[str, float]) -> DifferenceTest:
        """Return a weighted sum of runs' means, paired by sample and tested against 0."""
        values = np.zeros(len(self.samples))
        for label, factor in coefficients.items():
            values += factor * self._of(label)
        return difference_test(values, self.clusters, self.weights)

    def difference_of_samples(self, before: str, after: str) -> dict[str, float]:
        """Return what a run has more than another on each sample."""
        gains = self._of(after) - self._of(before)
        return dict(zip(self.samples, gains.tolist(), strict=True))

    def _of(self, label: str) -> Array:
        values: Array = self.values[:, self.labels.index(label)]
        return values

    def covariance(self) -> Array:
        """Return the covariance of the runs' means, clusters taken for independent.

        Of one cluster it is not known, and `nan`.
        """
        centred = self.values - self.weights @ self.values
        sums = _by_cluster(self.clusters, self.weights[:, None] * centred)
        count = len(sums)
        factor = count / (count - 1) if count > 1 else np.nan
        covariance: Array = sums.T @ sums * factor
        return covariance

    def cluster_means(self) -> Array:
        """Return the mean scores of clusters, shape (clusters, labels)."""
        sizes = _by_cluster(self.clusters, np.ones((len(self.samples), 1)))
        means: Array = _by_cluster(self.clusters, self.values) / sizes
        return means


def _by_cluster(clusters: Sequence[str], values: Array) -> Array:
    """Return the sums of rows by cluster, in order of the clusters' names."""
    names, index = np.unique(np.asarray(clusters), return_inverse=True)
    sums: Array = np.zeros((len(names), values.shape[1]))
    np.add.at(sums, index, values)
    return sums
