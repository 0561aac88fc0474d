"""The comparison of runs with the first of them, for the page."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from envscaler_eval.errors import UsageError
from envscaler_eval.results.comparing import Accepted, compare
from envscaler_eval.results.comparison import Comparison
from envscaler_eval.results.comparison_tables import change_tables
from envscaler_eval.results.figures import COLOURS, MARKERS, svg
from envscaler_eval.results.report.labels import folded, height_of
from envscaler_eval.results.report.page import WIDTH, PageFigure, Section, page_tables
from envscaler_eval.results.report.runs import Runs
from envscaler_eval.results.table import ResultTable
from envscaler_eval.results.tables import p_value, with_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LEAD = "Each model against {first}, paired by sample."


def comparison_section(
    runs: Runs, accepted: Accepted, score: str | None, floors: ResultTable | None
) -> Section | None:
    """Compare runs with the first; `None` if there is only one.

    What cannot be compared is no reason to show nothing: then the section says why.
    """
    names = list(runs.tables)
    if len(names) < 2:
        return None
    lead = _LEAD.format(first=names[0])
    try:
        report = compare(list(runs.tables.values()), accepted, score, floors, names)
    except UsageError as fault:
        note = f"not compared: {fault.message}"
        return Section("comparison", "Comparison", lead, notes=(note,))
    tables = page_tables(change_tables(report))
    shown = [one for one in report.comparisons if one.primary]
    return Section(
        id="comparison",
        title="Comparison",
        lead=lead,
        figures=(
            PageFigure(
                title=f"Difference to {names[0]}",
                alternative="; ".join(
                    f"{one.after.player} on {one.task}: {one.score} "
                    f"{with_interval(one.difference, sign=True)}, p {p_value(one.difference.p)}"
                    for one in shown
                ),
                svg=_figure(shown),
            ),
        ),
        tables=tables[:1],
        folded=tables[1:],
        notes=report.notes,
    )


def _figure(shown: Sequence[Comparison]) -> str:
    tasks = {one.task for one in shown}
    labels = [
        folded(one.after.player if len(tasks) == 1 else f"{one.after.player}, {one.task}")
        + f"\n{one.difference.value:+.3f}, p {p_value(one.difference.p)}"
        for one in shown
    ]

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        axes.axvline(0, color="#555555", linestyle="--", linewidth=1.2)
        for place, one in enumerate(shown):
            mean, colour = one.difference, COLOURS[(place + 1) % len(COLOURS)]
            if mean.low is not None and mean.high is not None:
                axes.plot([mean.low, mean.high], [place, place], color=colour, linewidth=2)
            marker = MARKERS[(place + 1) % len(MARKERS)]
            axes.plot(mean.value, place, marker, color=colour, markersize=6, zorder=3)
        axes.set_yticks(range(len(shown)), labels)
        axes.set_ylim(len(shown) - 0.5, -0.5)
        axes.margins(x=0.08)
        axes.set_xlabel("difference of scores")
        axes.grid(visible=False, axis="y")

    return svg(WIDTH, 0.8 + len(labels) * max(map(height_of, labels)), draw)
