"""Does training help more on tests that are similar to what was trained on?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from envscaler_eval.errors import UsageError
from envscaler_eval.results.document import PlainTable
from envscaler_eval.results.grid import ScoreGrid
from envscaler_eval.results.similarity.comparison import Comparison
from envscaler_eval.results.similarity.correlation import Correlation, clustered_spearman
from envscaler_eval.results.statistics import holm
from envscaler_eval.results.table import ResultTable
from envscaler_eval.results.tables import p_value

BEFORE, AFTER = "before", "after"
"""The labels of the two runs."""

Environments = Callable[[Mapping[str, Any]], list[str]]


def _of_classes(benchmark: str) -> Environments:
    return lambda metadata: [f"{benchmark}/{name}" for name in metadata["classes"]]


ENVIRONMENTS_OF: Mapping[str, Environments] = MappingProxyType(
    {
        "envscaler": lambda metadata: [metadata["env"]],
        "bfcl_multi_turn": _of_classes("bfcl"),
        "acebench_agent": _of_classes("acebench"),
        "tau_bench": lambda metadata: [f"tau_bench/{metadata['domain']}"],
    }
)
"""Task -> what tells a sample's environments by its metadata."""


@dataclass(frozen=True)
class GainRelation:
    """How gains and similarity go together on a benchmark.

    Attributes:
        task: The benchmark.
        score: The score whose gain it is.
        correlation: Spearman's, over samples, by environment.
        adjusted_p: Its p-value by Holm over benchmarks, where it has one.
        seen: Samples left out because their environment was trained on.
    """

    task: str
    score: str
    correlation: Correlation
    adjusted_p: float | None
    seen: int


def gain_relations(
    grids: Sequence[ScoreGrid], table: ResultTable, comparison: Comparison
) -> list[GainRelation]:
    """Relate each sample's gain to the similarity of its nearest training environment.

    A sample with several environments has the mean of their similarities. Samples of the
    same environments have the same similarity, and are one cluster.

    Args:
        grids: The runs `before` and `after` on each benchmark.
        table: The logs of one of them, for the samples' metadata.
        comparison: Training environments against those of the benchmarks.

    Raises:
        UsageError: An environment of a sample was not compared, or a task is unknown.
    """
    closest = dict(zip([t.id for t in comparison.test], comparison.matrix.max(axis=0), strict=True))
    trained = {text.id for text in comparison.train}
    found = []
    for grid in grids:
        environments = _environments(grid, table)
        fresh = [s for s in grid.samples if trained.isdisjoint(environments[s])]
        for name in (name for sample in fresh for name in environments[sample]):
            if name not in closest:
                source = name.partition("/")[0]
                raise UsageError(f"{grid.task}: {name} is not compared; add --to {source}")
        similarity = [float(np.mean([closest[n] for n in environments[s]])) for s in fresh]
        gain = grid.difference_of_samples(BEFORE, AFTER)
        correlation = clustered_spearman(
            np.array(similarity),
            np.array([gain[sample] for sample in fresh]),
            ["+".join(sorted(environments[sample])) for sample in fresh],
        )
        found.append((grid, correlation, len(grid.samples) - len(fresh)))
    tested = [correlation.p for _, correlation, _ in found if correlation.p is not None]
    adjusted = iter(holm(tested))
    return [
        GainRelation(
            grid.task,
            grid.score,
            correlation,
            None if correlation.p is None else next(adjusted),
            seen,
        )
        for grid, correlation, seen in found
    ]


def _environments(grid: ScoreGrid, table: ResultTable) -> dict[str, list[str]]:
    if grid.task not in ENVIRONMENTS_OF:
        known = ", ".join(ENVIRONMENTS_OF)
        raise UsageError(
            f"{grid.task}: nothing tells the environments of its samples; give logs of {known}"
        )
    told = {row.sample: row.metadata for row in table.of_task(grid.task).rows if row.metadata}
    return {sample: ENVIRONMENTS_OF[grid.task](told[sample]) for sample in grid.samples}


def gain_table(relations: Sequence[GainRelation]) -> PlainTable:
    """Return the table of relations."""
    return PlainTable(
        title="Gain against similarity to the nearest environment trained on",
        headers=("task", "score", "samples", "clusters", "Spearman [95%]", "p", "p (Holm)"),
        rows=tuple(
            (
                one.task,
                one.score,
                str(one.correlation.samples),
                str(one.correlation.clusters),
                _with_interval(one.correlation),
                "-" if one.correlation.p is None else p_value(one.correlation.p),
                "-" if one.adjusted_p is None else p_value(one.adjusted_p),
            )
            for one in relations
        ),
        note=(
            "Clusters: samples of the same environments. p: similarities shuffled among clusters. "
            "-: too few\nclusters, or nothing varies."
        ),
    )


def gain_notes(relations: Sequence[GainRelation]) -> list[str]:
    """Return what a reader has to know of relations, a line each."""
    return [
        f"{one.task}: {one.seen} samples are of environments trained on, and are left out"
        for one in relations
        if one.seen
    ]


def _with_interval(correlation: Correlation) -> str:
    if correlation.rho is None:
        return "-"
    if correlation.low is None or correlation.high is None:
        return f"{correlation.rho:+.2f}"
    return f"{correlation.rho:+.2f} [{correlation.low:+.2f}, {correlation.high:+.2f}]"
