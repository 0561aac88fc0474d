"""What each run scores in each environment, as a heat map."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from envscaler_eval.results.document import PlainTable
from envscaler_eval.results.figures import svg
from envscaler_eval.results.pairing import runs_by_sample
from envscaler_eval.results.report.labels import folded, height_of
from envscaler_eval.results.report.page import WIDTH, PageFigure, Section, page_table
from envscaler_eval.results.report.runs import Runs
from envscaler_eval.results.similarity.gain import ENVIRONMENTS_OF
from envscaler_eval.results.table import EpisodeRow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# More rows than that are no picture any more; the table has all.
_DRAWN = 40
# Letters of a line above a column, and the inches of it and of a letter.
_HEADER_WIDTH = 16
_COLUMN, _LETTER = 1.15, 0.078


@dataclass(frozen=True)
class EnvironmentScores:
    """A task's scores by environment.

    Attributes:
        task: The task.
        score: The score.
        runs: The runs.
        samples: Environment -> how many samples have a score in any run.
        means: Environment -> the mean score of each run; `None` where it has none.
    """

    task: str
    score: str
    runs: tuple[str, ...]
    samples: Mapping[str, int]
    means: Mapping[str, tuple[float | None, ...]]


def environment_scores(runs: Runs, score: str | None) -> list[EnvironmentScores]:
    """Return scores by environment, of the tasks that have environments.

    A sample with several environments counts in each. Of other projects' tasks the
    clusters are taken, if they are not the samples themselves.

    Args:
        runs: The runs.
        score: The score that tasks are judged by, instead of their own.
    """
    found = [_scores(task, runs, score) for task in runs.tasks]
    return [one for one in found if one.means]


def _scores(task: str, runs: Runs, score: str | None) -> EnvironmentScores:
    tables = runs.of_task(task)
    chosen = score or next(iter(tables.values())).logs[0].primary
    values: dict[str, dict[str, list[float]]] = {}
    samples: dict[str, set[str]] = {}
    for name, table in tables.items():
        told = {row.sample: row for row in table.rows if row.metadata}
        for sample, its in runs_by_sample(table.rows, chosen).items():
            if not len(its.values) or sample not in told:
                continue
            for environment in environments_of(told[sample]):
                values.setdefault(environment, {}).setdefault(name, []).append(its.mean)
                samples.setdefault(environment, set()).add(sample)
    return EnvironmentScores(
        task=task,
        score=chosen,
        runs=tuple(tables),
        samples={environment: len(samples[environment]) for environment in sorted(samples)},
        means={
            environment: tuple(
                float(np.mean(values[environment][name])) if name in values[environment] else None
                for name in tables
            )
            for environment in sorted(values)
        },
    )


def environments_of(row: EpisodeRow) -> list[str]:
    """Return the environments that an episode is in: none, one or several."""
    known = ENVIRONMENTS_OF.get(row.log.task)
    if known is not None:
        return known(row.metadata)
    return [row.cluster] if row.cluster != row.sample else []


def environments_section(found: Sequence[EnvironmentScores]) -> Section | None:
    """Tell of scores by environment: a heat map for each task."""
    if not found:
        return None
    return Section(
        id="environments",
        title="Environments",
        lead=(
            "The mean score of each model in each environment: the darker, the higher, with the "
            "figure in each cell. Means of few samples vary; the table tells how many there are."
        ),
        figures=tuple(map(_figure, found)),
    )


def _figure(one: EnvironmentScores) -> PageFigure:
    widest = sorted(one.means, key=lambda environment: -_spread(one.means[environment]))
    drawn = sorted(widest[:_DRAWN])
    cut = f" ({_DRAWN} of {len(one.means)} that differ most)" if len(drawn) < len(one.means) else ""
    title = f"{one.task}: {one.score} by environment{cut}"
    return PageFigure(
        title=title,
        alternative="; ".join(
            f"{environment}: "
            + ", ".join(
                f"{run} {_text(mean)}"
                for run, mean in zip(one.runs, one.means[environment], strict=True)
            )
            for environment in drawn
        ),
        svg=_map(one, drawn),
        tables=(
            page_table(
                PlainTable(
                    title=f"{one.task}: {one.score} by environment",
                    headers=("environment", "samples", *one.runs),
                    rows=tuple(
                        (environment, str(one.samples[environment]), *map(_text, means))
                        for environment, means in one.means.items()
                    ),
                )
            ),
        ),
    )


def _spread(means: Sequence[float | None]) -> float:
    known = [mean for mean in means if mean is not None]
    return max(known) - min(known)


def _text(mean: float | None) -> str:
    return "-" if mean is None else f"{mean:.3f}"


def _map(one: EnvironmentScores, drawn: Sequence[str]) -> str:
    values = np.array([one.means[environment] for environment in drawn], dtype=np.float64)
    top = max(1.0, float(np.nanmax(values)))
    bottom = min(0.0, float(np.nanmin(values)))
    headers = [folded(run, _HEADER_WIDTH) for run in one.runs]

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        axes.imshow(values, cmap="Blues", vmin=bottom, vmax=top, aspect="auto")
        for (row, column), value in np.ndenumerate(values):
            light = value - bottom < 0.6 * (top - bottom) or np.isnan(value)
            axes.text(
                column,
                row,
                "-" if np.isnan(value) else f"{value:.2f}",
                ha="center",
                va="center",
                color="black" if light else "white",
            )
        axes.set_yticks(range(len(drawn)), list(drawn))
        axes.set_xticks(range(len(one.runs)), headers)
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.grid(visible=False)
        axes.set_xticks(np.arange(len(one.runs) - 1) + 0.5, minor=True)
        axes.set_yticks(np.arange(len(drawn) - 1) + 0.5, minor=True)
        axes.grid(which="minor", color="white", linewidth=2, alpha=1)
        axes.tick_params(which="minor", length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)

    width = max(WIDTH, _LETTER * max(map(len, drawn)) + _COLUMN * len(one.runs))
    return svg(width, 0.1 + max(map(height_of, headers)) + 0.3 * len(drawn), draw)
