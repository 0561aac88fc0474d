"""How many samples and trials a wanted difference needs."""

from collections.abc import Sequence

from envscaler_eval.errors import UsageError
from envscaler_eval.results.comparability import one_player, without_repeats
from envscaler_eval.results.document import PlainTable
from envscaler_eval.results.pairing import runs_by_sample
from envscaler_eval.results.plan_basis import (
    Assumptions,
    Basis,
    basis_from_assumptions,
    basis_from_runs,
)
from envscaler_eval.results.statistics import detectable_difference, samples_needed
from envscaler_eval.results.table import ResultTable

_EPOCHS = (1, 2, 4, 8)


def plan_tables(
    difference: float,
    sides: Sequence[ResultTable],
    assumed: Assumptions,
    score: str | None = None,
    repeats_as_trials: bool = False,
) -> list[PlainTable]:
    """Return what a difference needs, by task if there are logs.

    Args:
        difference: The true difference that is to be found.
        sides: The logs of no, one or two models, from which it is seen how much
            results vary.
        assumed: What is assumed where they do not tell.
        score: The score, instead of each task's own.
        repeats_as_trials: Whether a sample in several logs counts as further runs.

    Raises:
        UsageError: There are more models, something is assumed that cannot be, or
            the logs are of no use.
    """
    assumed.check()
    if not 0 < difference <= 1:
        raise UsageError(f"the difference is {difference}; use a number above 0, at most 1")
    if len(sides) > 2:
        raise UsageError("--plan takes the logs of two models at most")
    if not sides:
        return [_table(difference, basis_from_assumptions(assumed), assumed.power)]
    for side in sides:
        one_player(side, "a side")
    kept = [without_repeats(side, repeats_as_trials, "a side") for side in sides]
    tasks = [task for task in kept[0].tasks if task in kept[-1].tasks]
    if not tasks:
        raise UsageError("the two logs have no task in common; name logs of the same task")
    return [
        _table(
            difference,
            _basis(task, [side.of_task(task) for side in kept], score, assumed),
            assumed.power,
        )
        for task in tasks
    ]


def _basis(
    task: str, sides: Sequence[ResultTable], score: str | None, assumed: Assumptions
) -> Basis:
    name = score or sides[0].logs[0].primary
    before, *after = (runs_by_sample(side.rows, name) for side in sides)
    return basis_from_runs(task, before, after[0] if after else None, assumed)


def _table(difference: float, basis: Basis, power: float) -> PlainTable:
    """Return what a difference needs, for several numbers of trials."""
    variation = basis.variation
    rows = []
    for epochs in _EPOCHS:
        samples = samples_needed(difference, variation, epochs, power)
        row = [str(epochs), str(samples), f"{samples / variation.cluster_size:.0f}"]
        row.append(str(samples * epochs))
        if basis.samples is not None and basis.clusters is not None:
            error = variation.error(basis.samples, epochs)
            found = detectable_difference(error, basis.clusters, power, basis.largest)
            row.append("-" if found is None else f"{found:.3f}")
        rows.append(tuple(row))
    headers = ["trials", "samples", "clusters", "episodes of a model"]
    if basis.samples is not None:
        headers.append(f"found with the {basis.samples} samples at hand")
    return PlainTable(
        title=f"{basis.name}: to find a difference of {difference:g} in {power:.0%} of cases",
        headers=tuple(headers),
        rows=tuple(rows),
        note=(
            "Two-sided test at 5%, both models on the same samples. "
            + (f"Assumed: {', '.join(basis.assumed)}." if basis.assumed else "From the logs alone.")
        ),
    )
