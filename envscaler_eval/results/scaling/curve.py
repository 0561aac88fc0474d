"""What evaluations say of training on more and more environments."""

from collections.abc import Sequence
from dataclasses import dataclass

from envscaler_eval.errors import UsageError
from envscaler_eval.results.grid import Missing, ScoreGrid
from envscaler_eval.results.scaling.forms import Fit, fit_forms
from envscaler_eval.results.statistics import ClusteredMean, DifferenceTest, holm
from envscaler_eval.results.trend import Trend, page_trend

METADATA_KEY = "environments"
"""Where a log's metadata says on how many environments the model was trained."""


@dataclass(frozen=True)
class Point:
    """A number of environments.

    Attributes:
        environments: The number.
        score: The mean score.
        missing: What missing episodes leave open.
    """

    environments: int
    score: ClusteredMean
    missing: Missing


@dataclass(frozen=True)
class Step:
    """From one number of environments to the next.

    Attributes:
        start: The smaller number.
        end: The larger one.
        gain: What it brings, paired by sample.
        per_ten: The same for ten environments.
        adjusted_p: The gain's p-value, by Holm over the steps of the curve.
    """

    start: int
    end: int
    gain: DifferenceTest
    per_ten: float
    adjusted_p: float


@dataclass(frozen=True)
class Curve:
    """A benchmark's score over the number of environments.

    Attributes:
        task: The benchmark.
        score: Which of its scores.
        samples: How many samples the runs share.
        points: The scores.
        steps: The gains.
        first_against_later: What the first step brings less what all later ones bring
            together; none if there is no later one.
        trend: Page's test that scores rise, with clusters as blocks.
        adjusted_p: Its p-value, by Holm over benchmarks.
        forms: Forms of the curve, fitted; none if clusters are too few.
        best: The form of the lowest AIC.
    """

    task: str
    score: str
    samples: int
    points: tuple[Point, ...]
    steps: tuple[Step, ...]
    first_against_later: DifferenceTest | None
    trend: Trend
    adjusted_p: float
    forms: tuple[Fit, ...]
    best: str | None


def scaling_curves(grids: Sequence[ScoreGrid]) -> list[Curve]:
    """Return a curve for each benchmark.

    Args:
        grids: Runs labelled by their numbers of environments, a grid for each benchmark.

    Raises:
        UsageError: A label is no number of its own, or there is only one.
    """
    ordered = [_ordered(grid) for grid in grids]
    trends = [page_trend(grid.cluster_means()) for grid in ordered]
    adjusted = holm([trend.p for trend in trends])
    return [
        _curve(grid, trend, p) for grid, trend, p in zip(ordered, trends, adjusted, strict=True)
    ]


def _ordered(grid: ScoreGrid) -> ScoreGrid:
    """Return the grid with its runs in the order of their numbers."""
    numbers = {label: int(label) for label in grid.labels if label.isdecimal()}
    if len(set(numbers.values())) < len(grid.labels):
        told = ", ".join(grid.labels)
        raise UsageError(
            f"{grid.task}: runs are labelled {told}; label each with its number of environments"
        )
    order = sorted(grid.labels, key=numbers.__getitem__)
    if len(order) < 2:
        raise UsageError(
            f"{grid.task}: there is only the run on {order[0]} environments; add another number"
        )
    return grid.of_labels(order)


def _curve(grid: ScoreGrid, trend: Trend, adjusted_p: float) -> Curve:
    sizes = [int(label) for label in grid.labels]
    clusters = len(set(grid.clusters))
    means = grid.weights @ grid.values
    forms = fit_forms(sizes, means, grid.covariance(), clusters)
    return Curve(
        task=grid.task,
        score=grid.score,
        samples=len(grid.samples),
        points=tuple(
            Point(int(label), grid.mean(label), grid.missing[label]) for label in grid.labels
        ),
        steps=_steps(grid, sizes),
        first_against_later=_first_against_later(grid),
        trend=trend,
        adjusted_p=adjusted_p,
        forms=forms,
        best=min(forms, key=lambda fit: fit.aic).form if forms else None,
    )


def _steps(grid: ScoreGrid, sizes: Sequence[int]) -> tuple[Step, ...]:
    ends = list(zip(grid.labels, grid.labels[1:], sizes, sizes[1:], strict=False))
    gains = [grid.difference(before, after) for before, after, _, _ in ends]
    adjusted = holm([gain.p for gain in gains])
    return tuple(
        Step(start, end, gain, 10 * gain.value / (end - start), p)
        for (_, _, start, end), gain, p in zip(ends, gains, adjusted, strict=True)
    )


def _first_against_later(grid: ScoreGrid) -> DifferenceTest | None:
    if len(grid.labels) < 3:
        return None
    base, first, *_, last = grid.labels
    # (first - base) - (last - first)
    return grid.contrast({base: -1.0, first: 2.0, last: -1.0})
