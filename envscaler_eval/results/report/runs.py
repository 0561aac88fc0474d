"""The runs that a report is about: the logs of each model, told apart by how it was trained."""

from collections.abc import Mapping
from dataclasses import dataclass

from envscaler_eval.results.ablation import METADATA_KEY as TRAINING_MODE
from envscaler_eval.results.comparability import without_repeats
from envscaler_eval.results.labels import labelled
from envscaler_eval.results.scaling.curve import METADATA_KEY as ENVIRONMENTS
from envscaler_eval.results.table import LogHeader, ResultTable


@dataclass(frozen=True)
class Runs:
    """Logs by the model that they are of.

    Attributes:
        tables: The name of a run -> its logs and their episodes, in the order of the logs.
        notes: What was left out in reading, a line each.
    """

    tables: Mapping[str, ResultTable]
    notes: tuple[str, ...]

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, in the order of the logs."""
        return tuple(dict.fromkeys(task for table in self.tables.values() for task in table.tasks))

    def of_task(self, task: str) -> dict[str, ResultTable]:
        """Return the runs that a task is in."""
        parts = {name: table.of_task(task) for name, table in self.tables.items()}
        return {name: part for name, part in parts.items() if part.logs}


def runs_of(table: ResultTable, repeats_as_trials: bool) -> Runs:
    """Put the logs of each model together.

    Args:
        table: All logs.
        repeats_as_trials: Count a sample that is in several logs of a run as trials.

    Raises:
        UsageError: A run has a sample twice.
    """
    logs = labelled(table, run_name)
    kept = {
        name: without_repeats(its, repeats_as_trials, name) for name, its in logs.tables.items()
    }
    return Runs(kept, logs.notes)


def run_name(log: LogHeader) -> str:
    """Return the model, with what it was trained on where the log tells."""
    name = log.player
    if ENVIRONMENTS in log.metadata:
        name += f", {log.metadata[ENVIRONMENTS]} environments"
    if TRAINING_MODE in log.metadata:
        name += f", {log.metadata[TRAINING_MODE]}"
    return name
