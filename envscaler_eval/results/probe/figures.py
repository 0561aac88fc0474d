"""How models do on the same samples, and whether their order is more than chance."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from pydantic import TypeAdapter

from envscaler_eval.errors import UsageError
from envscaler_eval.results.document import Document, PlainTable
from envscaler_eval.results.grid import Array, ScoreGrid
from envscaler_eval.results.statistics import ClusteredMean, DifferenceTest, holm
from envscaler_eval.results.tables import few_clusters, p_value, with_interval
from envscaler_eval.results.trend import Trend, page_trend


@dataclass(frozen=True)
class ModelFigures:
    """A model on the samples.

    Attributes:
        model: The model.
        score: Its mean score.
        solved: The share of samples with the full score in all trials.
        wins: How often it beats another model on a sample; ties count half.
        steps: Mean generations of an episode, if the logs tell.
    """

    model: str
    score: ClusteredMean
    solved: float
    wins: float
    steps: float | None


@dataclass(frozen=True)
class Duel:
    """Two models on the samples.

    Attributes:
        better: The model with the higher mean.
        other: The other one.
        difference: What the first has more, paired by sample.
        adjusted_p: The p-value, by Holm over the pairs.
        won: The share of samples on which the first scores more.
        tied: The share on which both score the same.
    """

    better: str
    other: str
    difference: DifferenceTest
    adjusted_p: float
    won: float
    tied: float


@dataclass(frozen=True)
class Probe:
    """Models on the samples of a task, or of a part of it.

    Attributes:
        name: The task, and the part.
        score: The score that they are judged by.
        samples: How many samples all of them have.
        models: The models, in the order given.
        duels: Every two of them.
        order: Page's test that scores rise from model to model as given, if asked for.
    """

    name: str
    score: str
    samples: int
    models: tuple[ModelFigures, ...]
    duels: tuple[Duel, ...]
    order: Trend | None


def probes(grid: ScoreGrid, in_order: bool) -> list[Probe]:
    """Return the figures of the models on each part of a task.

    Args:
        grid: The models' scores.
        in_order: Whether the models were given from the weakest to the strongest, so that
            this order can be tested; one that is read off the scores cannot.

    Raises:
        UsageError: There is one model only.
    """
    if len(grid.labels) < 2:
        raise UsageError(f"{grid.task}: {', '.join(grid.labels)} is the only model; add another")
    parts = [(f"{grid.task}, {part}", grid.part(part)) for part in grid.parts]
    return [
        _probe(name, part, in_order)
        for name, part in (parts if len(parts) > 1 else [(grid.task, grid)])
    ]


def _probe(name: str, grid: ScoreGrid, in_order: bool) -> Probe:
    return Probe(
        name=name,
        score=grid.score,
        samples=len(grid.samples),
        models=tuple(_model(grid, model) for model in grid.labels),
        duels=_duels(grid),
        order=page_trend(grid.cluster_means()) if in_order else None,
    )


def _model(grid: ScoreGrid, model: str) -> ModelFigures:
    place = grid.labels.index(model)
    own, others = grid.values[:, [place]], np.delete(grid.values, place, axis=1)
    steps: Array = grid.steps[:, place]
    return ModelFigures(
        model=model,
        score=grid.mean(model),
        solved=float((own == 1).mean()),
        wins=float(((own > others) + (own == others) / 2).mean()),
        steps=None if np.isnan(steps).all() else float(np.nanmean(steps)),
    )


def _duels(grid: ScoreGrid) -> tuple[Duel, ...]:
    pairs = []
    for one, other in combinations(grid.labels, 2):
        weaker, stronger = sorted((one, other), key=lambda model: grid.mean(model).value)
        pairs.append((stronger, weaker, grid.difference(weaker, stronger)))
    adjusted = holm([difference.p for _, _, difference in pairs])
    return tuple(
        Duel(stronger, weaker, difference, p, *_shares(grid, stronger, weaker))
        for (stronger, weaker, difference), p in zip(pairs, adjusted, strict=True)
    )


def _shares(grid: ScoreGrid, better: str, other: str) -> tuple[float, float]:
    gains = np.array(list(grid.difference_of_samples(other, better).values()))
    return float((gains > 0).mean()), float((gains == 0).mean())


def probe_document(found: Sequence[Probe], remarks: Sequence[str] = ()) -> Document:
    """Tell of probes: the models, and every two of them.

    Args:
        found: The probes.
        remarks: What else a reader has to know.
    """
    tables = (table for probe in found for table in _tables(probe))
    notes = (note for probe in found for note in _notes(probe))
    numbers = TypeAdapter(Sequence[Probe]).dump_json(found, indent=2)
    return Document("Probe", tuple(tables), (*notes, *remarks), numbers)


def _tables(probe: Probe) -> Iterator[PlainTable]:
    clusters = probe.models[0].score.clusters
    yield PlainTable(
        title=f"{probe.name}: {probe.samples} samples in {clusters} clusters",
        headers=("model", f"{probe.score} [95%]", "solved", "wins", "steps"),
        rows=tuple(
            (
                one.model,
                with_interval(one.score),
                f"{one.solved:.1%}",
                f"{one.wins:.1%}",
                "-" if one.steps is None else f"{one.steps:.1f}",
            )
            for one in probe.models
        ),
        note="wins: over other models, sample by sample; ties count half.",
    )
    yield PlainTable(
        title=f"{probe.name}: two by two",
        headers=("better", "than", "by [95%]", "won", "tied", "p", "p (Holm)"),
        rows=tuple(
            (
                duel.better,
                duel.other,
                with_interval(duel.difference, sign=True),
                f"{duel.won:.1%}",
                f"{duel.tied:.1%}",
                p_value(duel.difference.p),
                p_value(duel.adjusted_p),
            )
            for duel in probe.duels
        ),
        note="Paired by sample; p: sign flips of clusters.",
    )


def _notes(probe: Probe) -> Iterator[str]:
    if probe.order:
        yield (
            f"{probe.name}: that scores rise in the order given has p {p_value(probe.order.p)} by "
            "Page's test over clusters"
        )
    yield from few_clusters(probe.name, probe.models[0].score)
