"""Means over groups of samples that weigh the same, whatever their sizes."""

from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from typing import cast

from inspect_ai.scorer import Metric, SampleScore, Value, grouped, mean, metric, stderr

_Compute = Callable[[list[SampleScore]], Value]


@metric
def macro(group: str) -> Metric:
    """Mean of the groups' means.

    Args:
        group: The key of the sample metadata that names the group.
    """

    def compute(scores: list[SampleScore]) -> Value:
        means = _of_groups(mean(), scores, group)
        return sum(means) / len(means) if means else float("nan")

    return compute


@metric
def macro_by(split: str, group: str) -> Metric:
    """Mean of the groups' means, for each part of the samples on its own.

    Args:
        split: The key of the sample metadata that names the part.
        group: The key that names the group within it.
    """
    by_part = cast(_Compute, grouped(macro(group), split, all=False))

    def compute(scores: list[SampleScore]) -> Value:
        return by_part(scores)

    return compute


@metric
def macro_stderr(group: str, cluster: str) -> Metric:
    """Standard error of `macro`, the groups taken for independent.

    Args:
        group: The key of the sample metadata that names the group.
        cluster: The key that names the cluster within it.
    """

    def compute(scores: list[SampleScore]) -> Value:
        errors = _of_groups(stderr(cluster=cluster), scores, group)
        return sqrt(sum(error**2 for error in errors)) / len(errors) if errors else float("nan")

    return compute


def _of_groups(of: Metric, scores: Sequence[SampleScore], group: str) -> list[float]:
    """Compute a metric of each group."""
    compute = cast(Callable[[list[SampleScore]], float], of)
    groups: dict[str, list[SampleScore]] = {}
    for score in scores:
        metadata: Mapping[str, str] = score.sample_metadata or {}
        groups.setdefault(metadata[group], []).append(score)
    return [compute(members) for members in groups.values()]
