"""The failures of all runs, for the page."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from envscaler_eval.results.figures import svg
from envscaler_eval.results.report.failed_checks import FailedCheck
from envscaler_eval.results.report.failures import Endings
from envscaler_eval.results.report.page import WIDTH, Cell, PageFigure, PageTable, Section
from envscaler_eval.results.report.viewer import Viewer
from envscaler_eval.results.table import EpisodeRow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HATCHES = ("", "///", "...", "xxx", "\\\\\\", "++", "oo", "---", "**", "|||")
"""Patterns that go with the colours, so that nothing hangs on colour alone."""

_FILLS = ("#9ecae1", "#fdae6b", "#a1d99b", "#dadaeb", "#fdd0a2", "#c7e9c0", "#d9d9d9")
_NARROW = 0.09
"""Parts of a bar below this share have no room for their figure."""


def failures_section(
    failures: Sequence[Endings], checks: Sequence[FailedCheck], all_checks: int, viewer: Viewer
) -> Section:
    """Tell of failures: endings, kinds of faults, and the checks that fail most."""
    figures = [_endings_figure(failures, viewer)]
    if any(one.faults for one in failures):
        figures.append(_faults_figure(failures, viewer))
    tables = [_checks_table(checks, all_checks, viewer)] if checks else []
    return Section(
        id="failures",
        title="Failures",
        lead=(
            "Why episodes ended, and what was seen to go wrong in them. A fault need not cost the "
            "score: an agent may call again."
        ),
        figures=tuple(figures),
        tables=tuple(tables),
    )


def _endings_figure(failures: Sequence[Endings], viewer: Viewer) -> PageFigure:
    return PageFigure(
        title="Why episodes ended",
        alternative="; ".join(
            f"{one.run} on {one.task}: "
            + ", ".join(
                f"{ending} {len(rows) / one.episodes:.0%}" for ending, rows in one.endings.items()
            )
            for one in failures
        ),
        svg=_endings_svg(failures),
        tables=(
            PageTable(
                title="Why episodes ended",
                headers=("task", "model", "ended by", "episodes", "share", "example"),
                rows=tuple(
                    (
                        Cell(one.task),
                        Cell(one.run),
                        Cell(ending),
                        Cell(str(len(rows))),
                        Cell(f"{len(rows) / one.episodes:.1%}"),
                        _example(rows[0], viewer),
                    )
                    for one in failures
                    for ending, rows in one.endings.items()
                ),
                note=(
                    "What the endings mean is in docs/concepts.md. missing: a fault of the "
                    "infrastructure, no result of the model."
                ),
            ),
        ),
    )


def _endings_svg(failures: Sequence[Endings]) -> str:
    endings = list(dict.fromkeys(ending for one in failures for ending in one.endings))
    tasks = {one.task for one in failures}

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        starts = [0.0] * len(failures)
        for number, ending in enumerate(endings):
            shares = [len(one.endings.get(ending, ())) / one.episodes for one in failures]
            axes.barh(
                range(len(failures)),
                shares,
                left=starts,
                height=0.7,
                label=ending,
                color=_FILLS[number % len(_FILLS)],
                edgecolor="#333333",
                hatch=HATCHES[number % len(HATCHES)],
                linewidth=0.6,
            )
            for place, (start, share) in enumerate(zip(starts, shares, strict=True)):
                if share >= _NARROW:
                    axes.text(
                        start + share / 2,
                        place,
                        f"{share:.0%}",
                        ha="center",
                        va="center",
                        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
                    )
            starts = [start + share for start, share in zip(starts, shares, strict=True)]
        axes.set_yticks(range(len(failures)), [_name(one, tasks) for one in failures])
        axes.set_ylim(len(failures) - 0.5, -0.5)
        axes.set_xlim(0, 1)
        axes.xaxis.set_major_formatter("{x:.0%}")
        axes.grid(visible=False, axis="y")
        figure.legend(loc="outside lower center", ncols=3, frameon=False)

    legend = 0.25 * (-(-len(endings) // 3))
    return svg(WIDTH, 0.6 + 0.42 * len(failures) + legend, draw)


def _faults_figure(failures: Sequence[Endings], viewer: Viewer) -> PageFigure:
    return PageFigure(
        title="What went wrong in episodes",
        alternative="; ".join(
            f"{one.run} on {one.task}: "
            + ", ".join(
                f"{fault.family}, {fault.kind} in {fault.episodes / one.episodes:.0%}"
                for fault in one.faults
            )
            for one in failures
            if one.faults
        ),
        svg=_faults_svg(failures),
        tables=(
            PageTable(
                title="What went wrong in episodes",
                headers=("task", "model", "what", "kind", "episodes", "share", "times", "example"),
                rows=tuple(
                    (
                        Cell(one.task),
                        Cell(one.run),
                        Cell(fault.family),
                        Cell(fault.kind),
                        Cell(str(fault.episodes)),
                        Cell(f"{fault.episodes / one.episodes:.1%}"),
                        Cell(str(fault.times)),
                        _example(fault.example, viewer),
                    )
                    for one in failures
                    for fault in one.faults
                ),
                note="share: of all episodes. times: in all episodes together.",
            ),
        ),
    )


def _faults_svg(failures: Sequence[Endings]) -> str:
    shown = [one for one in failures if one.faults]
    shares = [
        {(fault.family, fault.kind): fault.episodes / one.episodes for fault in one.faults}
        for one in shown
    ]
    kinds = sorted(
        {kind for its in shares for kind in its},
        key=lambda kind: (kind[0], -max(its.get(kind, 0) for its in shares)),
    )
    tasks = {one.task for one in failures}
    height = 0.8 / len(shown)

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        for number, (one, its) in enumerate(zip(shown, shares, strict=True)):
            places = [place - 0.4 + (number + 0.5) * height for place in range(len(kinds))]
            values = [its.get(kind, 0.0) for kind in kinds]
            axes.barh(
                places,
                values,
                height=height,
                label=_name(one, tasks).replace("\n", ", "),
                color=_FILLS[number % len(_FILLS)],
                edgecolor="#333333",
                hatch=HATCHES[number % len(HATCHES)],
                linewidth=0.6,
            )
            for place, value in zip(places, values, strict=True):
                if value:
                    axes.text(value + 0.01, place, f"{value:.0%}", va="center", fontsize=7)
        labels = [f"{kind.replace('_', ' ')}\n({family})" for family, kind in kinds]
        axes.set_yticks(range(len(kinds)), labels)
        axes.set_ylim(len(kinds) - 0.5, -0.5)
        axes.set_xlim(0, 1.08)
        axes.xaxis.set_major_formatter("{x:.0%}")
        axes.set_xlabel("share of episodes")
        axes.grid(visible=False, axis="y")
        figure.legend(loc="outside lower center", ncols=1, frameon=False)

    rows = max(0.4, 0.17 * len(shown)) * len(kinds)
    return svg(WIDTH, 0.7 + rows + 0.2 * len(shown), draw)


def _checks_table(checks: Sequence[FailedCheck], count: int, viewer: Viewer) -> PageTable:
    runs = list(dict.fromkeys(run for check in checks for run in check.failed))
    return PageTable(
        title="Checks that fail most",
        headers=("scenario", "check", *runs),
        rows=tuple(
            (
                Cell(f"{check.environment}/{check.scenario}", viewer.sample(check.example)),
                Cell(check.about or f"check {check.place + 1}"),
                *(Cell(f"{check.failed[run]:.0%}" if run in check.failed else "-") for run in runs),
                _example(check.example, viewer),
            )
            for check in checks
        ),
        note=(
            f"How often each failed, of the scenario's graded episodes: {len(checks)} of the "
            f"{count} checks that fail at all, by the mean over models; of equals some of each "
            "environment. Checks without words are of packs that are not at hand, or have changed."
        ),
    )


def _name(one: Endings, tasks: set[str]) -> str:
    return one.run if len(tasks) == 1 else f"{one.run}\n{one.task}"


def _example(row: EpisodeRow, viewer: Viewer) -> Cell:
    return Cell(row.sample, viewer.sample(row))
