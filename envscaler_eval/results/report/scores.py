"""What each run scores: means with intervals, floors, parts, efforts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from envscaler_eval.errors import UsageError
from envscaler_eval.results.comparison import Side
from envscaler_eval.results.comparison_tables import episodes_table, pass_hat
from envscaler_eval.results.document import PlainTable
from envscaler_eval.results.figures import COLOURS, MARKERS, svg
from envscaler_eval.results.floors import Floor, known_floor, measured_floor
from envscaler_eval.results.missing import score_range
from envscaler_eval.results.pairing import SampleRuns, runs_by_sample
from envscaler_eval.results.report.labels import folded, height_of
from envscaler_eval.results.report.page import WIDTH, PageFigure, Section, page_table
from envscaler_eval.results.report.runs import Runs
from envscaler_eval.results.side import Judged, side
from envscaler_eval.results.table import ResultTable
from envscaler_eval.results.tables import few_clusters, with_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NONE = "-"


@dataclass(frozen=True)
class RunScore:
    """A run on a task, or on a part of it.

    Attributes:
        task: The task.
        part: The part, or `None` for all of it.
        score: The score.
        side: The run's figures.
        floor: What doing nothing earns on the same samples, if known.
        samples: How many samples have a score.
        cluster_name: What a cluster is.
    """

    task: str
    part: str | None
    score: str
    side: Side
    floor: Floor | None
    samples: int
    cluster_name: str

    @property
    def name(self) -> str:
        """The task, with the part."""
        return self.task if self.part is None else f"{self.task}, {self.part}"


def run_scores(runs: Runs, score: str | None, floors: ResultTable | None) -> list[RunScore]:
    """Return what each run scores on each task, and on its parts.

    Args:
        runs: The runs.
        score: The score that tasks are judged by, instead of their own.
        floors: Logs of `policy/noop` on the same samples.

    Raises:
        UsageError: A log lacks the score, or a floor one of the samples.
    """
    return [
        one
        for task in runs.tasks
        for name, table in runs.of_task(task).items()
        for one in _scores(name, table, score, floors and floors.of_task(task))
    ]


def _scores(
    name: str, table: ResultTable, score: str | None, floors: ResultTable | None
) -> Iterator[RunScore]:
    log = table.logs[0]
    chosen = score or log.primary
    for other in table.logs:
        if chosen not in other.scores:
            known = ", ".join(other.scores)
            raise UsageError(f"{other.path}: there is no score '{chosen}'; it has {known}")
    given = runs_by_sample(table.rows, chosen)
    graded = [one for one in given.values() if not one.ungraded]
    groups = dict.fromkeys(one.group for one in graded if one.group is not None)
    limits = score_range(graded)
    wholes: list[tuple[str | None, list[SampleRuns]]] = [(None, graded)]
    if len(groups) > 1:
        wholes += [(group, [one for one in graded if one.group == group]) for group in groups]
    for part, samples in wholes:
        scored = [one for one in samples if len(one.values)]
        if not scored:
            continue
        macro = log.rules.macro and part is None
        if floors is not None and floors.logs:
            nothing = runs_by_sample(floors.rows, chosen)
            floor: Floor | None = measured_floor(floors, nothing, samples, macro)
        else:
            floor = known_floor(log, chosen, samples)
        figures = side(name, table, samples, Judged(chosen, macro, limits))
        yield RunScore(log.task, part, chosen, figures, floor, len(scored), log.rules.cluster_name)


def scores_section(scores: Sequence[RunScore], runs: Runs) -> Section:
    """Tell of scores: a figure with a panel for each task, and the table.

    Args:
        scores: The scores.
        runs: The runs, of which some may have none.
    """
    scored = {(one.task, one.side.player) for one in scores}
    notes = [
        f"{task}, {name}: no episode has a score; run them with `inspect eval-retry`"
        for task in runs.tasks
        for name in runs.of_task(task)
        if (task, name) not in scored
    ]
    notes += [
        note
        for one in scores
        if one.part is None
        for note in few_clusters(f"{one.task}, {one.side.player}", one.side.mean)
    ]
    whole = [one for one in scores if one.part is None]
    return Section(
        id="scores",
        title="Scores",
        lead=(
            "The mean score of each model, with its 95% interval by Student's t over clusters of "
            "samples that are not independent. The dashed line is the floor: what doing nothing "
            "earns on the same samples."
        ),
        figures=(_figure(whole),) if whole else (),
        tables=(
            page_table(scores_table(scores)),
            page_table(episodes_table((one.task, one.side) for one in whole)),
        ),
        notes=tuple(notes),
    )


def scores_table(scores: Sequence[RunScore]) -> PlainTable:
    """Return the table of scores."""
    return PlainTable(
        title="Scores, tasks and their parts",
        headers=("task", "model", "score", "mean [95%]", "floor", "samples", "pass^k"),
        rows=tuple(
            (
                one.name,
                one.side.player,
                one.score,
                with_interval(one.side.mean),
                _NONE if one.floor is None else f"{one.floor.value:.3f}",
                f"{one.samples} in {one.side.mean.clusters} {one.cluster_name}s",
                pass_hat(one.side),
            )
            for one in scores
        ),
        note="pass^k: how often k trials of a sample all succeed.",
    )


def _figure(scores: Sequence[RunScore]) -> PageFigure:
    return PageFigure(
        title="Scores",
        alternative="; ".join(
            f"{one.side.player} on {one.task}: {one.score} {with_interval(one.side.mean)}"
            + (f", floor {one.floor.value:.3f}" if one.floor else "")
            for one in scores
        ),
        svg=_drawing(scores),
    )


def _drawing(scores: Sequence[RunScore]) -> str:
    tasks = list(dict.fromkeys(one.task for one in scores))
    of_task = [[one for one in scores if one.task == task] for task in tasks]
    heights = [0.7 + len(its) * max(height_of(_label(one)) for one in its) for its in of_task]

    def draw(figure: "Figure") -> None:
        panels = figure.subplots(len(tasks), 1, squeeze=False, height_ratios=heights)
        for its, axes in zip(of_task, panels.ravel(), strict=True):
            _panel(its, axes)

    return svg(WIDTH, sum(heights), draw)


def _panel(scores: Sequence[RunScore], axes: "Axes") -> None:
    for place, one in enumerate(scores):
        mean, colour = one.side.mean, COLOURS[place % len(COLOURS)]
        if mean.low is not None and mean.high is not None:
            axes.plot([mean.low, mean.high], [place, place], color=colour, linewidth=2)
        axes.plot(
            mean.value,
            place,
            MARKERS[place % len(MARKERS)],
            color=colour,
            markersize=6,
            clip_on=False,
            zorder=3,
        )
        if one.floor is not None:
            ends = [place - 0.4, place + 0.4]
            axes.plot([one.floor.value] * 2, ends, "--", color="#555555", linewidth=1.5)
    axes.set_yticks(range(len(scores)), [_label(one) for one in scores])
    axes.set_ylim(len(scores) - 0.5, -0.5)
    values = [one.side.mean.value for one in scores]
    if min(values) >= 0 and max(values) <= 1:
        axes.set_xlim(-0.02, 1.02)
    axes.grid(visible=False, axis="y")
    axes.set_title(f"{scores[0].task}: {scores[0].score}", loc="left")


def _label(one: RunScore) -> str:
    return f"{folded(one.side.player)}\n{one.side.mean.value:.3f}"
