"""Comparing two models on the samples of one task, by one score."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from envscaler_eval.results.comparison import ClusterChange, Comparison
from envscaler_eval.results.missing import difference_bounds, largest_difference, score_range
from envscaler_eval.results.pairing import Pairs, SampleRuns, sample_weights
from envscaler_eval.results.side import Judged, is_binary, side
from envscaler_eval.results.statistics import (
    Floats,
    detectable_difference,
    difference_test,
    intraclass_correlation,
    mcnemar,
)
from envscaler_eval.results.table import ResultTable


@dataclass(frozen=True)
class Compared:
    """What is to be compared.

    Attributes:
        before: The first model's episodes of the task.
        after: The second model's.
        before_label: The first model's name.
        after_label: The second model's.
        pairs: Their samples.
        score: The score.
        group: The part of the task, or `None` for all of it.
        primary: Whether the comparison is one of those that count.
        macro: Whether the task's parts weigh the same.
    """

    before: ResultTable
    after: ResultTable
    before_label: str
    after_label: str
    pairs: Pairs
    score: str
    group: str | None
    primary: bool
    macro: bool


def compare_pairs(compared: Compared) -> Comparison:
    """Compare two models on samples of which at least one has a score of both."""
    pairs, macro = compared.pairs, compared.macro
    limits = score_range(pairs.before, pairs.after)
    judged = Judged(compared.score, macro, limits)
    both = [
        (before, after)
        for before, after in zip(pairs.before, pairs.after, strict=True)
        if len(before.values) and len(after.values)
    ]
    befores, afters = [before for before, _ in both], [after for _, after in both]
    weights = sample_weights(befores, macro)
    differences = np.array([after.mean - before.mean for before, after in both])
    clusters = [before.cluster for before in befores]
    difference = difference_test(differences, clusters, weights)
    log = compared.before.logs[0]
    binary = is_binary(befores) and is_binary(afters)
    gained, lost = _flips(both) if binary else _share_changed(differences)
    return Comparison(
        task=log.task,
        version=log.version,
        score=compared.score,
        group=compared.group,
        primary=compared.primary,
        macro=macro,
        cluster_name=log.rules.cluster_name,
        samples=len(both),
        before=side(compared.before_label, compared.before, pairs.before, judged),
        after=side(compared.after_label, compared.after, pairs.after, judged),
        difference=difference,
        p_holm=None,
        detectable=detectable_difference(
            difference.error, difference.clusters, largest=largest_difference(limits)
        ),
        cluster_correlation=intraclass_correlation(differences, clusters),
        gained=gained,
        lost=lost,
        binary=binary,
        mcnemar=_mcnemar(both) if binary else None,
        bounds=difference_bounds(pairs, macro, limits),
        floor=None,
        changes=_changes(both),
    )


def _flips(both: Sequence[tuple[SampleRuns, SampleRuns]]) -> tuple[float, float]:
    """Return how often a run after differs from one before: from 0 to 1, from 1 to 0."""
    gained = np.mean([(1 - before.mean) * after.mean for before, after in both])
    lost = np.mean([before.mean * (1 - after.mean) for before, after in both])
    return float(gained), float(lost)


def _share_changed(
    differences: Floats,
) -> tuple[float, float]:
    return float((differences > 0).mean()), float((differences < 0).mean())


def _mcnemar(both: Sequence[tuple[SampleRuns, SampleRuns]]) -> float | None:
    if any(len(before.values) > 1 or len(after.values) > 1 for before, after in both):
        return None
    gained = sum(before.mean < after.mean for before, after in both)
    lost = sum(before.mean > after.mean for before, after in both)
    return mcnemar(gained, lost)


def _changes(both: Sequence[tuple[SampleRuns, SampleRuns]]) -> tuple[ClusterChange, ...]:
    by_cluster: dict[str, list[tuple[SampleRuns, SampleRuns]]] = {}
    for before, after in both:
        by_cluster.setdefault(before.cluster, []).append((before, after))
    changes = [
        ClusterChange(
            cluster=cluster,
            samples=len(its),
            before=float(np.mean([before.mean for before, _ in its])),
            after=float(np.mean([after.mean for _, after in its])),
        )
        for cluster, its in by_cluster.items()
    ]
    return tuple(sorted(changes, key=lambda change: -change.difference))
