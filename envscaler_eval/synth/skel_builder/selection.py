"""From many topics to few: each once, good ones only, and far from one another."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from envscaler_eval.synth.skel_builder.mining import Topic
from envscaler_eval.text_vectors import Vectors, vectorise

_SEED = 42
_STARTS = 10


@dataclass(frozen=True)
class SelectionRules:
    """How topics are chosen.

    Attributes:
        least_score: The least usefulness and the least modelability.
        likeness: The cosine from which two topics are one.
        clusters: How many to choose; `None` lets the silhouette decide.
        most_clusters: The most that the silhouette may decide for.
        representation: How texts become vectors; see `vectorise`.
    """

    least_score: int = 7
    likeness: float = 0.75
    clusters: int | None = None
    most_clusters: int = 200
    representation: str = "tfidf"


@dataclass(frozen=True)
class Selection:
    """What was chosen.

    Attributes:
        chosen: The topics to build, with the tasks of those that they stand for.
        refused: Why each of the others was not chosen, by its place in the input.
    """

    chosen: tuple[Topic, ...]
    refused: dict[int, str] = field(default_factory=dict)


def select(topics: Sequence[Topic], rules: SelectionRules) -> Selection:
    """Choose topics.

    Topics of one name become one, then topics that read alike, of which the one that
    can be modelled best stays (then the more useful, then the earlier). What scores
    too low goes. The rest is clustered by k-means, and the topic nearest to each
    centre is chosen (EnvScaler, arXiv 2601.05808, section on task-guided discovery).

    Args:
        topics: The topics, in any order that stays the same.
        rules: How to choose.
    """
    refused: dict[int, str] = {}
    best_first = sorted(
        range(len(topics)),
        key=lambda at: (-topics[at].modelability, -topics[at].usefulness, at),
    )
    named: dict[str, int] = {}
    merged: dict[int, list[int]] = {}
    for at in best_first:
        first = named.setdefault(topics[at].id, at)
        if first == at:
            merged[at] = [at]
        else:
            merged[first].append(at)
            refused[at] = f"is the same as '{topics[first].title}'"
    distinct = [at for at in best_first if at in merged]
    good = _without_likes(topics, distinct, rules, merged, refused)
    good = [at for at in good if not _scored_low(topics[at], rules, at, refused)]
    chosen = _nearest_to_centres(topics, sorted(good), rules, refused)
    return Selection(tuple(_with_tasks(topics, at, merged) for at in chosen), refused)


def _without_likes(
    topics: Sequence[Topic],
    order: Sequence[int],
    rules: SelectionRules,
    merged: dict[int, list[int]],
    refused: dict[int, str],
) -> list[int]:
    """Keep the first of topics that read alike."""
    if len(order) < 2:
        return list(order)
    vectors = _vectors(topics, order, rules)
    cosines = vectors @ vectors.T
    kept: list[int] = []
    for row, at in enumerate(order):
        like = next((k for k in kept if cosines[row, k] >= rules.likeness), None)
        if like is None:
            kept.append(row)
        else:
            first = order[like]
            merged[first].extend(merged.pop(at))
            refused[at] = f"reads like '{topics[first].title}' (cosine {cosines[row, like]:.2f})"
    return [order[row] for row in kept]


def _scored_low(topic: Topic, rules: SelectionRules, at: int, refused: dict[int, str]) -> bool:
    for name, score in (("usefulness", topic.usefulness), ("modelability", topic.modelability)):
        if score < rules.least_score:
            refused[at] = f"{name} {score} is below {rules.least_score}"
            return True
    return False


def _nearest_to_centres(
    topics: Sequence[Topic],
    good: Sequence[int],
    rules: SelectionRules,
    refused: dict[int, str],
) -> list[int]:
    # Two points have no silhouette.
    if len(good) < 3 if rules.clusters is None else rules.clusters >= len(good):
        return list(good)
    vectors = _vectors(topics, good, rules)
    count = rules.clusters or _best_count(vectors, rules.most_clusters)
    labels, centres = _clustered(vectors, count)
    distances = np.linalg.norm(vectors - centres[labels], axis=1)
    nearest: dict[int, int] = {}
    for row, label in enumerate(labels):
        best = nearest.setdefault(label, row)
        if distances[row] < distances[best]:
            nearest[label] = row
    for row, label in enumerate(labels):
        stands = nearest[label]
        if stands != row:
            refused[good[row]] = f"is represented in its cluster by '{topics[good[stands]].title}'"
    return [good[row] for row in sorted(nearest.values())]


def _clustered(vectors: Vectors, count: int) -> tuple[list[int], Vectors]:
    """Return the cluster of each vector, and the clusters' centres."""
    from sklearn.cluster import KMeans

    # The library's annotations take no number of starts, though its documentation does.
    fitted: Any = KMeans(count, random_state=_SEED, n_init=cast(Any, _STARTS)).fit(vectors)
    return [int(label) for label in fitted.labels_], fitted.cluster_centers_


def _best_count(vectors: Vectors, most: int) -> int:
    """Return the number of clusters with the highest mean silhouette."""
    from sklearn.metrics import silhouette_score

    counts = _candidates(min(most, len(vectors) - 1))
    labels = {count: _clustered(vectors, count)[0] for count in counts}
    return max(
        (count for count in counts if len(set(labels[count])) > 1),
        key=lambda count: float(silhouette_score(vectors, labels[count])),
        default=1,
    )


def _candidates(most: int) -> list[int]:
    """Return numbers from 2 on, all of the small ones and then steps of a tenth."""
    counts, count = [], 2
    while count < most:
        counts.append(count)
        count += max(1, count // 10)
    return [*counts, most]


def _vectors(topics: Sequence[Topic], order: Sequence[int], rules: SelectionRules) -> Vectors:
    texts = [(f"{topics[at].title}: {topics[at].introduction}",) for at in order]
    return vectorise(texts, rules.representation)


def _with_tasks(topics: Sequence[Topic], at: int, merged: dict[int, list[int]]) -> Topic:
    tasks = [task for other in sorted(merged[at]) for task in topics[other].tasks]
    return topics[at].model_copy(update={"tasks": tuple(dict.fromkeys(tasks))})
