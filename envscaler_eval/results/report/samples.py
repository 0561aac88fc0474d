"""Every sample with its score in each run, and where to see it."""

from collections.abc import Sequence

from envscaler_eval.results.report.environments import environments_of
from envscaler_eval.results.report.page import Cell, PageTable, Section
from envscaler_eval.results.report.runs import Runs
from envscaler_eval.results.report.viewer import Viewer
from envscaler_eval.results.table import EpisodeRow

# A page with more links than that is slow to open.
_LISTED = 2_000
_OTHERS = "samples"

_Key = tuple[str, str]


def samples_section(runs: Runs, score: str | None, viewer: Viewer) -> Section:
    """List the samples by environment, those with the lowest scores first.

    Args:
        runs: The runs.
        score: The score that tasks are judged by, instead of their own.
        viewer: Where samples are shown.
    """
    episodes: dict[_Key, dict[str, list[EpisodeRow]]] = {}
    for run, table in runs.tables.items():
        for row in table.rows:
            key = (row.log.task, row.sample)
            episodes.setdefault(key, {}).setdefault(run, []).append(row)
    ranks = {key: _rank(its, score) for key, its in episodes.items()}
    listed = sorted(episodes, key=lambda key: (ranks[key], key))[:_LISTED]
    groups: dict[tuple[str, str], list[_Key]] = {}
    for key in listed:
        groups.setdefault((key[0], _place(episodes[key])), []).append(key)
    notes = []
    if len(listed) < len(episodes):
        notes.append(f"{len(listed)} of {len(episodes)} samples are listed, of the lowest scores")
    if viewer.address is None:
        notes.append(
            "for links to transcripts, make a viewer with `inspect view bundle` and name it with "
            "--viewer"
        )
    absent = [log.path for table in runs.tables.values() for log in table.logs]
    absent = [path for path in absent if path not in viewer.places]
    if viewer.address is not None and absent:
        notes.append(f"the viewer lacks {len(absent)} logs, such as {absent[0]}")
    return Section(
        id="samples",
        title="Samples",
        lead=(
            "The score of every sample, a mean where it has several trials, the lowest first. A "
            "link leads to the transcript of its worst trial."
            if viewer.address is not None
            else "The score of every sample, a mean where it has several trials, the lowest first."
        ),
        folded=tuple(
            _table(task, place, [(key, episodes[key]) for key in keys], runs, score, viewer)
            for (task, place), keys in sorted(groups.items())
        ),
        notes=tuple(notes),
    )


def _table(
    task: str,
    place: str,
    samples: Sequence[tuple[_Key, dict[str, list[EpisodeRow]]]],
    runs: Runs,
    score: str | None,
    viewer: Viewer,
) -> PageTable:
    columns = list(runs.of_task(task))
    return PageTable(
        title=f"{task}, {place}: {len(samples)}",
        headers=("sample", *columns),
        rows=tuple(
            (Cell(sample), *(_cell(its.get(run, ()), score, viewer) for run in columns))
            for (_, sample), its in samples
        ),
    )


def _cell(rows: Sequence[EpisodeRow], score: str | None, viewer: Viewer) -> Cell:
    values = _values(rows, score)
    if not rows:
        return Cell("-")
    if not values:
        return Cell((rows[0].missing or "unscored").partition(":")[0], viewer.sample(rows[0]))
    worst = min(
        (row for row in rows if _name(row, score) in row.scores),
        key=lambda row: (row.scores[_name(row, score)], row.epoch),
    )
    return Cell(f"{sum(values) / len(values):.3f}", viewer.sample(worst))


def _rank(its: dict[str, list[EpisodeRow]], score: str | None) -> float:
    """Return the mean score over runs; what has none comes first."""
    values = [value for rows in its.values() for value in _values(rows, score)]
    return sum(values) / len(values) if values else float("-inf")


def _values(rows: Sequence[EpisodeRow], score: str | None) -> list[float]:
    return [row.scores[_name(row, score)] for row in rows if _name(row, score) in row.scores]


def _name(row: EpisodeRow, score: str | None) -> str:
    return score or row.log.primary


def _place(its: dict[str, list[EpisodeRow]]) -> str:
    """Return the environments that a sample is in, or the part of its task."""
    told = next((row for rows in its.values() for row in rows if row.metadata), None)
    if told is None:
        return _OTHERS
    return " + ".join(environments_of(told)) or told.group or _OTHERS
