"""What models trained in one mode, the other or both can do."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from envscaler_eval.errors import UsageError
from envscaler_eval.results.document import Document, PlainTable
from envscaler_eval.results.grid import ScoreGrid
from envscaler_eval.results.statistics import ClusteredMean, DifferenceTest, holm
from envscaler_eval.results.tables import few_clusters, p_value, with_interval

METADATA_KEY = "training_mode"
"""Where a log's metadata says how the model was trained."""


@dataclass(frozen=True)
class ModeFigures:
    """A training mode on a benchmark.

    Attributes:
        mode: How the model was trained.
        parts: Part of the benchmark -> mean score.
        overall: The score of the benchmark.
        difference: What it has more than the baseline, paired by sample; none for the
            baseline.
        adjusted_p: The p-value, by Holm over modes and benchmarks.
    """

    mode: str
    parts: dict[str, float]
    overall: ClusteredMean
    difference: DifferenceTest | None
    adjusted_p: float | None


@dataclass(frozen=True)
class Ablation:
    """Training modes on a benchmark.

    Attributes:
        task: The benchmark.
        score: The score.
        samples: How many samples all modes have.
        baseline: The mode that others are compared with.
        modes: The modes, in the order given.
    """

    task: str
    score: str
    samples: int
    baseline: str
    modes: tuple[ModeFigures, ...]


def ablations(grids: Sequence[ScoreGrid], baseline: str | None) -> list[Ablation]:
    """Compare training modes on every benchmark.

    Args:
        grids: Runs labelled by training mode, a grid for each benchmark.
        baseline: The mode to compare with, by default the first.

    Raises:
        UsageError: The baseline was not run on a benchmark.
    """
    chosen = baseline or grids[0].labels[0]
    for grid in grids:
        if chosen not in grid.labels:
            raise UsageError(
                f"{grid.task}: there is no run of '{chosen}'; its modes are "
                f"{', '.join(grid.labels)}"
            )
    differences = {
        (grid.task, mode): grid.difference(chosen, mode)
        for grid in grids
        for mode in grid.labels
        if mode != chosen
    }
    adjusted = dict(zip(differences, holm([d.p for d in differences.values()]), strict=True))
    return [
        Ablation(
            task=grid.task,
            score=grid.score,
            samples=len(grid.samples),
            baseline=chosen,
            modes=tuple(
                ModeFigures(
                    mode=mode,
                    parts={part: grid.part(part).mean(mode).value for part in grid.parts},
                    overall=grid.mean(mode),
                    difference=differences.get((grid.task, mode)),
                    adjusted_p=adjusted.get((grid.task, mode)),
                )
                for mode in grid.labels
            ),
        )
        for grid in grids
    ]


def ablation_document(found: Sequence[Ablation], remarks: Sequence[str] = ()) -> Document:
    """Tell of ablations: a table for each benchmark, its parts in columns.

    Args:
        found: The ablations.
        remarks: What else a reader has to know.
    """
    notes = (note for one in found for note in few_clusters(one.task, one.modes[0].overall))
    numbers = TypeAdapter(Sequence[Ablation]).dump_json(found, indent=2)
    return Document("Training modes", tuple(map(_table, found)), (*notes, *remarks), numbers)


def _table(ablation: Ablation) -> PlainTable:
    parts = tuple(ablation.modes[0].parts)
    shown = parts if len(parts) > 1 else ()
    return PlainTable(
        title=f"{ablation.task}, {ablation.score}: {ablation.samples} samples",
        headers=(
            "training mode",
            *shown,
            "overall [95%]",
            f"against {ablation.baseline} [95%]",
            "p",
            "p (Holm)",
        ),
        rows=tuple(
            (
                one.mode,
                *(f"{one.parts[part]:.3f}" for part in shown),
                with_interval(one.overall),
                "-" if one.difference is None else with_interval(one.difference, sign=True),
                "-" if one.difference is None else p_value(one.difference.p),
                "-" if one.adjusted_p is None else p_value(one.adjusted_p),
            )
            for one in ablation.modes
        ),
        note="Paired by sample; p: sign flips of clusters, Holm over all modes and benchmarks.",
    )
