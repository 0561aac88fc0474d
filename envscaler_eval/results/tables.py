"""How figures are written in tables."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from envscaler_eval.results.grid import ScoreGrid
from envscaler_eval.results.labels import LabelledLogs
from envscaler_eval.results.statistics import FEWEST_CLUSTERS, ClusteredMean


def with_interval(mean: ClusteredMean, sign: bool = False) -> str:
    """Return a mean with its interval, where it has one.

    Args:
        mean: The mean.
        sign: Whether to write `+`.
    """
    form = "+.3f" if sign else ".3f"
    if mean.low is None or mean.high is None:
        return format(mean.value, form)
    return f"{mean.value:{form}} [{mean.low:{form}}, {mean.high:{form}}]"


def p_value(p: float) -> str:
    """Return a p-value to three digits."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def few_clusters(name: str, mean: ClusteredMean) -> list[str]:
    """Return a line that says why a mean has no interval, if it has none."""
    if mean.clusters >= FEWEST_CLUSTERS:
        return []
    return [f"{name}: no intervals, since {mean.clusters} clusters are less than {FEWEST_CLUSTERS}"]


def remarks(labelled: LabelledLogs, grids: Sequence[ScoreGrid]) -> list[str]:
    """Return what a reader has to know of logs and of grids, a line each."""
    told = list(labelled.notes)
    for grid in grids:
        told += grid.notes
        told += _missing(grid)
    return told


def _missing(grid: ScoreGrid) -> Iterator[str]:
    """Tell how many episodes are missing, and what hangs on them."""
    for label, (episodes, bounds) in grid.missing.items():
        if episodes:
            yield (
                f"{grid.task}: {episodes} episodes of '{label}' have no score; its mean is between "
                f"{bounds.low:.3f} and {bounds.high:.3f} whatever they would have scored"
            )
    for one, other in combinations(grid.labels, 2):
        (lacks, of_one), (lacks_too, of_other) = grid.missing[one], grid.missing[other]
        overlap = of_one.low <= of_other.high and of_other.low <= of_one.high
        if (lacks or lacks_too) and overlap:
            yield (
                f"{grid.task}: whether '{one}' or '{other}' is better depends on missing episodes; "
                "run them with `inspect eval-retry`"
            )
