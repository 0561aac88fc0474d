"""Scores of several runs on one task, aligned by sample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from envscaler_eval.errors import UsageError
from envscaler_eval.results.comparability import check_comparable, without_repeats
from envscaler_eval.results.comparing import Accepted
from envscaler_eval.results.labels import LabelledLogs
from envscaler_eval.results.missing import Bounds, mean_bounds, score_range
from envscaler_eval.results.pairing import SampleRuns, runs_by_sample, sample_weights
from envscaler_eval.results.statistics import (
    ClusteredMean,
    DifferenceTest,
    clustered_mean,
    difference_test,
)
from envscaler_eval.results.table import ResultTable

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
        """Return the covariance of the runs' means, clusters taken for independent."""
        centred = self.values - self.weights @ self.values
        sums = _by_cluster(self.clusters, self.weights[:, None] * centred)
        count = len(sums)
        covariance: Array = sums.T @ sums * count / (count - 1)
        return covariance

    def cluster_means(self) -> Array:
        """Return the mean scores of clusters, shape (clusters, labels)."""
        sizes = _by_cluster(self.clusters, np.ones((len(self.samples), 1)))
        means: Array = _by_cluster(self.clusters, self.values) / sizes
        return means


def score_grid(
    task: str,
    tables: Mapping[str, ResultTable],
    accepted: Accepted,
    score: str | None = None,
) -> ScoreGrid:
    """Align labelled runs of a task by sample.

    Args:
        task: The task; logs of others are not looked at.
        tables: Label -> logs.
        accepted: What is compared all the same.
        score: The score to compare; by default the one that the task is judged by.

    Raises:
        UsageError: A label has a sample twice, a log lacks the score, was made under other
            conditions or on other samples, or no sample is scored in all runs.
    """
    of_task = {label: table.of_task(task) for label, table in tables.items()}
    of_task = {
        label: without_repeats(table, accepted.repeats, label)
        for label, table in of_task.items()
        if table.logs
    }
    logs = [log for table in of_task.values() for log in table.logs]
    notes = check_comparable(logs, accepted.differences)
    name = score or logs[0].primary
    for log in logs:
        if name not in log.scores:
            known = ", ".join(log.scores)
            raise UsageError(f"{log.path}: there is no score '{name}'; it has {known}")
    runs = {label: runs_by_sample(table.rows, name) for label, table in of_task.items()}
    shared, unshared = _shared(runs)
    scored = [s for s in shared if all(len(its[s].values) for its in runs.values())]
    if unshared and not accepted.differences:
        raise UsageError(
            f"{task}: {len(unshared)} samples are not in the logs of all of {', '.join(runs)}, "
            f"such as {unshared[0]}; run all on the same samples, or compare those that all have "
            "with --accept-differences"
        )
    if not scored:
        raise UsageError(
            f"{task}: no sample is scored in all of {', '.join(runs)}; retry what is missing with "
            "`inspect eval-retry`"
        )
    if unshared:
        notes.append(f"{task}: {len(unshared)} samples are not in all logs and are left out")
    first = next(iter(runs.values()))
    return ScoreGrid(
        task=task,
        score=name,
        labels=tuple(runs),
        samples=tuple(scored),
        clusters=tuple(first[sample].cluster for sample in scored),
        groups=tuple(first[sample].group for sample in scored),
        values=np.array([[its[s].mean for its in runs.values()] for s in scored]),
        steps=_steps(of_task, scored),
        weights=sample_weights([first[sample] for sample in scored], logs[0].rules.macro),
        missing=_missing(runs, shared, logs[0].rules.macro),
        notes=tuple(notes),
    )


def score_grids(
    logs: LabelledLogs, accepted: Accepted, score: str | None = None
) -> list[ScoreGrid]:
    """Align labelled runs on each of their tasks; see `score_grid`."""
    return [score_grid(task, logs.tables, accepted, score) for task in logs.tasks]


def _shared(runs: Mapping[str, Mapping[str, SampleRuns]]) -> tuple[list[str], list[str]]:
    """Return the samples that all runs were given, and those that only some were.

    Of the former those that could be graded in no run, as they have no checks, are left out.
    """
    given = dict.fromkeys(sample for its in runs.values() for sample in its)
    common = [sample for sample in given if all(sample in its for its in runs.values())]
    graded = [s for s in common if not all(its[s].ungraded for its in runs.values())]
    return sorted(graded), [sample for sample in given if sample not in set(common)]


def _missing(
    runs: Mapping[str, Mapping[str, SampleRuns]], samples: Sequence[str], macro: bool
) -> dict[str, Missing]:
    by_label = {label: [its[sample] for sample in samples] for label, its in runs.items()}
    limits = score_range(*by_label.values())
    return {
        label: Missing(sum(each.missing for each in its), mean_bounds(its, macro, limits))
        for label, its in by_label.items()
    }


def _steps(tables: Mapping[str, ResultTable], samples: Sequence[str]) -> Array:
    steps = np.full((len(samples), len(tables)), np.nan)
    for column, table in enumerate(tables.values()):
        told: dict[str, list[int]] = {}
        for row in table.rows:
            if row.steps is not None:
                told.setdefault(row.sample, []).append(row.steps)
        for place, sample in enumerate(samples):
            if sample in told:
                steps[place, column] = np.mean(told[sample])
    return steps


def _by_cluster(clusters: Sequence[str], values: Array) -> Array:
    """Return the sums of rows by cluster, in order of the clusters' names."""
    names, index = np.unique(np.asarray(clusters), return_inverse=True)
    sums: Array = np.zeros((len(names), values.shape[1]))
    np.add.at(sums, index, values)
    return sums
