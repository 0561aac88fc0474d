"""The failures of all runs, for the page."""

from collections.abc import Sequence

from envscaler_eval.results.report.failed_checks import FailedCheck
from envscaler_eval.results.report.failure_figures import endings_svg, faults_svg
from envscaler_eval.results.report.failures import Endings
from envscaler_eval.results.report.page import Cell, PageFigure, PageTable, Section
from envscaler_eval.results.report.viewer import Viewer
from envscaler_eval.results.table import EpisodeRow


def failures_section(
    failures: Sequence[Endings], checks: Sequence[FailedCheck], all_checks: int, viewer: Viewer
) -> Section:
    """Tell of failures: endings, kinds of faults, and the checks that fail most.

    Args:
        failures: The endings and faults of each run of each task.
        checks: The checks that fail most.
        all_checks: How many checks fail at all.
        viewer: Where samples are shown.
    """
    tasks = dict.fromkeys(one.task for one in failures if one.faults)
    faults = [
        _faults_figure(task, [one for one in failures if one.task == task], viewer)
        for task in tasks
    ]
    return Section(
        id="failures",
        title="Failures",
        lead=(
            "Why episodes ended, and what was seen to go wrong in them. A fault need not cost the "
            "score: an agent may call again."
        ),
        figures=(_endings_figure(failures, viewer), *faults),
        tables=(_checks_table(checks, all_checks, viewer),) if checks else (),
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
        svg=endings_svg(failures),
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


def _faults_figure(task: str, failures: Sequence[Endings], viewer: Viewer) -> PageFigure:
    return PageFigure(
        title=f"What went wrong in episodes of {task}",
        alternative="; ".join(
            f"{one.run}: "
            + (
                ", ".join(
                    f"{fault.kind} ({fault.family}) in {fault.episodes / one.episodes:.0%}"
                    for fault in one.faults
                )
                or "nothing"
            )
            for one in failures
        ),
        svg=faults_svg(failures),
        tables=(
            PageTable(
                title=f"What went wrong in episodes of {task}",
                headers=("model", "what", "kind", "episodes", "share", "times", "example"),
                rows=tuple(
                    (
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
            )
            for check in checks
        ),
        note=(
            f"How often each failed, of the scenario's graded episodes: {len(checks)} of the "
            f"{count} checks that fail at all, by the mean over models; of equals some of each "
            "environment. Checks without words are of packs that are not at hand, or have changed."
        ),
    )


def _example(row: EpisodeRow, viewer: Viewer) -> Cell:
    return Cell(row.sample, viewer.sample(row))
