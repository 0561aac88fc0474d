"""How figures are written in tables."""

from collections.abc import Sequence

from envscaler_eval.results.grid import ScoreGrid
from envscaler_eval.results.labels import LabelledLogs
from envscaler_eval.results.statistics import ClusteredMean


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


def remarks(labelled: LabelledLogs, grids: Sequence[ScoreGrid]) -> list[str]:
    """Return what a reader has to know of logs and of grids, a line each."""
    told = list(labelled.notes)
    for grid in grids:
        told += grid.notes
        for label, missing in grid.missing.items():
            told.append(
                f"{grid.task}: {missing.episodes} episodes of '{label}' have no score; its mean is "
                f"between {missing.bounds.low:.3f} and {missing.bounds.high:.3f} whatever they "
                "would have scored"
            )
    return told
