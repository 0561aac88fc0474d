"""Logs under the label that tells what a model was trained on, or which model it is.

The label is in the log's metadata, where `inspect eval --metadata KEY=VALUE` puts it; a log
that lacks it is given as `VALUE=PATH`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from envscaler_eval.errors import UsageError
from envscaler_eval.results.reading import read_results
from envscaler_eval.results.table import EpisodeRow, LogHeader, ResultTable


@dataclass(frozen=True)
class LabelledLogs:
    """Logs by label.

    Attributes:
        tables: Label -> its logs and their episodes, labels in the order of the logs.
        notes: What was left out in reading, a line each.
    """

    tables: Mapping[str, ResultTable]
    notes: tuple[str, ...]

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, in the order of the logs."""
        return tuple(dict.fromkeys(task for table in self.tables.values() for task in table.tasks))


def read_labelled(
    arguments: Sequence[str],
    label_of: Callable[[LogHeader], str],
    cluster_key: str | None = None,
) -> LabelledLogs:
    """Read logs under their labels.

    Args:
        arguments: Logs and folders, each with its label before a `=` or without one.
        label_of: Tells the label of a log that is given without.
        cluster_key: See `read_results`.

    Raises:
        UsageError: A log cannot be read, or has no label.
    """
    given: dict[str | None, list[str]] = {}
    for argument in arguments:
        label, path = _split(argument)
        given.setdefault(label, []).append(path)
    read = [(label, read_results(paths, cluster_key)) for label, paths in given.items()]
    # By place: a header holds mappings, which have no hash.
    labels = {id(log): label or label_of(log) for label, table in read for log in table.logs}
    logs = tuple(log for _, table in read for log in table.logs)
    rows = tuple(row for _, table in read for row in table.rows)
    notes = tuple(note for _, table in read for note in table.notes)
    return labelled(ResultTable(logs, rows, notes), lambda log: labels[id(log)])


def labelled(table: ResultTable, label_of: Callable[[LogHeader], str]) -> LabelledLogs:
    """Put logs that were read under their labels.

    Args:
        table: The logs.
        label_of: Tells a log's label.
    """
    logs: dict[str, list[LogHeader]] = {}
    rows: dict[str, list[EpisodeRow]] = {}
    labels = {id(log): label_of(log) for log in table.logs}
    for log in table.logs:
        logs.setdefault(labels[id(log)], []).append(log)
    for row in table.rows:
        rows.setdefault(labels[id(row.log)], []).append(row)
    tables = {
        label: ResultTable(tuple(its), tuple(rows.get(label, ()))) for label, its in logs.items()
    }
    return LabelledLogs(tables, table.notes)


def from_metadata(key: str) -> Callable[[LogHeader], str]:
    """Return what tells a log's label by its metadata."""

    def label_of(log: LogHeader) -> str:
        if key not in log.metadata:
            raise UsageError(
                f"{log.path}: its metadata has no '{key}'; evaluate with "
                f"`--metadata {key}=VALUE`, or give the log as VALUE={log.path}"
            )
        return str(log.metadata[key])

    return label_of


def by_player(log: LogHeader) -> str:
    """Return the model as a log's label."""
    return log.player


def _split(argument: str) -> tuple[str | None, str]:
    label, equals, path = argument.partition("=")
    if not equals or Path(argument).exists() or "/" in label:
        return None, argument
    return label, path
