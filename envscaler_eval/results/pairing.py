"""Episodes of two models, sample by sample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from envscaler_eval.results.statistics import Floats
from envscaler_eval.results.table import EpisodeRow

_UNSCORED = "unscored"


@dataclass(frozen=True)
class SampleRuns:
    """One model's runs of a sample.

    Attributes:
        sample: The sample.
        cluster: Its cluster.
        group: The part of the task it is of.
        values: The scores of the runs that have one.
        missing: How many runs have none.
        ungraded: Whether all runs ended well and none could be given a score.
    """

    sample: str
    cluster: str
    group: str | None
    values: Floats
    missing: int
    ungraded: bool

    @property
    def mean(self) -> float:
        """The mean over the runs that have a score."""
        return float(self.values.mean())

    def mean_with(self, value: float) -> float:
        """Return the mean if each missing run had this score."""
        total = float(self.values.sum()) + self.missing * value
        return total / (len(self.values) + self.missing)


@dataclass(frozen=True)
class Pairs:
    """Two models' runs of the samples that both were given.

    Attributes:
        before: The first model's, a sample each.
        after: The second model's, in the same order.
        only_before: Samples that the first model alone was given.
        only_after: Samples that the second model alone was given.
        ungraded: Samples left out because neither model's runs could be given a
            score although all went well: they have no checks.
    """

    before: tuple[SampleRuns, ...]
    after: tuple[SampleRuns, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    ungraded: tuple[str, ...]

    def of_group(self, group: str) -> "Pairs":
        """Return the pairs of one part of the task."""
        kept = [place for place, runs in enumerate(self.before) if runs.group == group]
        return Pairs(
            tuple(self.before[place] for place in kept),
            tuple(self.after[place] for place in kept),
            (),
            (),
            (),
        )

    @property
    def groups(self) -> tuple[str, ...]:
        """The parts of the task, in the order of the samples."""
        return tuple(dict.fromkeys(runs.group for runs in self.before if runs.group is not None))


def runs_by_sample(rows: Sequence[EpisodeRow], score: str) -> dict[str, SampleRuns]:
    """Put the runs of each sample together.

    Args:
        rows: Episodes of one task by one model.
        score: The score.
    """
    by_sample: dict[str, list[EpisodeRow]] = {}
    for row in rows:
        by_sample.setdefault(row.sample, []).append(row)
    return {sample: _sample_runs(sample, its, score) for sample, its in by_sample.items()}


def _sample_runs(sample: str, rows: Sequence[EpisodeRow], score: str) -> SampleRuns:
    values = [row.scores[score] for row in rows if score in row.scores]
    # A run that never began does not know its cluster and its group.
    told = next((row for row in rows if row.metadata), rows[0])
    return SampleRuns(
        sample=sample,
        cluster=told.cluster,
        group=told.group,
        values=np.array(values, dtype=np.float64),
        missing=len(rows) - len(values),
        ungraded=not values and all((row.missing or "").startswith(_UNSCORED) for row in rows),
    )


def pair(before: Mapping[str, SampleRuns], after: Mapping[str, SampleRuns]) -> Pairs:
    """Pair the runs of two models.

    Args:
        before: The first model's, by sample.
        after: The second model's, by sample.
    """
    common = [sample for sample in before if sample in after]
    ungraded = {sample for sample in common if before[sample].ungraded and after[sample].ungraded}
    kept = [sample for sample in common if sample not in ungraded]
    return Pairs(
        before=tuple(_placed(before[sample], after[sample]) for sample in kept),
        after=tuple(_placed(after[sample], before[sample]) for sample in kept),
        only_before=tuple(sample for sample in before if sample not in after),
        only_after=tuple(sample for sample in after if sample not in before),
        ungraded=tuple(sorted(ungraded)),
    )


def _placed(runs: SampleRuns, other: SampleRuns) -> SampleRuns:
    """Return runs with cluster and group, which a sample that was never run has from the other."""
    if len(runs.values) or not len(other.values):
        return runs
    return SampleRuns(
        runs.sample, other.cluster, other.group, runs.values, runs.missing, runs.ungraded
    )


def sample_weights(runs: Sequence[SampleRuns], macro: bool) -> Floats:
    """Return a weight for each sample, 1 in sum.

    Args:
        runs: The samples.
        macro: Whether each group of them weighs the same; otherwise each sample
            does.
    """
    if not macro:
        return np.full(len(runs), 1 / len(runs))
    sizes: dict[str, int] = {}
    for one in runs:
        if one.group is not None:
            sizes[one.group] = sizes.get(one.group, 0) + 1
    # Samples that neither model was run on do not tell their group; they weigh what they would
    # if all groups were of one size, and are seen in the bounds of what is missing only.
    known = sum(sizes.values()) / len(runs)
    return np.array(
        [
            1 / len(runs) if one.group is None else known / (len(sizes) * sizes[one.group])
            for one in runs
        ]
    )
