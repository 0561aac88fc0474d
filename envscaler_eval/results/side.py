"""What one model did on the samples of a task, by one score."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from envscaler_eval.results.comparison import Side
from envscaler_eval.results.missing import mean_bounds
from envscaler_eval.results.pairing import SampleRuns, sample_weights
from envscaler_eval.results.statistics import (
    clustered_mean,
    intraclass_correlation,
    noise_flip_rate,
    pass_hat_k,
)
from envscaler_eval.results.table import EpisodeRow, ResultTable


@dataclass(frozen=True)
class Judged:
    """How samples are judged.

    Attributes:
        score: The score.
        macro: Whether the task's parts weigh the same.
        limits: The lowest and the highest score.
    """

    score: str
    macro: bool
    limits: tuple[float, float]


def side(label: str, table: ResultTable, runs: Sequence[SampleRuns], judged: Judged) -> Side:
    """Return the figures of one model.

    Args:
        label: The model's name.
        table: Its episodes of the task.
        runs: Its samples, of which at least one has a score.
        judged: How they are judged.
    """
    scored = [one for one in runs if len(one.values)]
    weights = sample_weights(scored, judged.macro)
    samples = {one.sample for one in runs}
    rows = [row for row in table.rows if row.sample in samples]
    played = [row for row in rows if judged.score in row.scores]
    values = [one.values for one in scored]
    binary = is_binary(scored)
    steps = [row.steps for row in played if row.steps is not None]
    costs = [row.cost for row in played if row.cost is not None]
    fewest = min(len(one) for one in values)
    return Side(
        player=label,
        mean=clustered_mean(
            np.array([one.mean for one in scored]), [one.cluster for one in scored], weights
        ),
        bounds=mean_bounds(runs, judged.macro, judged.limits),
        episodes=len(played),
        missing=_missing(rows, judged.score),
        user_faults=sum(row.user_fault for row in rows),
        pass_hat=(
            {
                k: rate
                for k in range(1, fewest + 1)
                if (rate := pass_hat_k(values, k, weights)) is not None
            }
            if binary
            else {}
        ),
        trial_correlation=intraclass_correlation(
            np.concatenate(values), [one.sample for one in scored for _ in one.values]
        ),
        noise_flips=noise_flip_rate(values) if binary else None,
        steps=float(np.mean(steps)) if steps else None,
        tokens=float(np.mean([row.tokens for row in played])),
        cost=float(np.mean(costs)) if costs else None,
    )


def is_binary(runs: Sequence[SampleRuns]) -> bool:
    """Return whether all scores are 0 or 1."""
    return all(((one.values == 0) | (one.values == 1)).all() for one in runs)


def _missing(rows: Sequence[EpisodeRow], score: str) -> dict[str, int]:
    """Count the episodes without a score, by the kind of reason."""
    counts: dict[str, int] = {}
    for row in rows:
        if score not in row.scores:
            reason = (row.missing or "unscored").partition(":")[0]
            counts[reason] = counts.get(reason, 0) + 1
    return counts
