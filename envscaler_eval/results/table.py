"""The tidy table that logs are read into: a row for each episode."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from envscaler_eval.results.task_rules import TaskRules

# In the metadata of a log that is a shard of a sweep: what the sweep says of it.
SWEEP_KEY = "sweep"

# The arguments of other models say where and how they are served.
_POLICIES = "policy/"


@dataclass(frozen=True)
class LogHeader:
    """What holds for all episodes of a log.

    Attributes:
        path: Where the log is.
        task_id: The task's run; Inspect keeps it when a run is retried.
        created: When the run began, ISO 8601.
        status: How it ended: `success`, `error`, `cancelled` or `started`.
        model: The model under test.
        model_args: The arguments that the model was made with.
        task: The task's name, without our package.
        version: The task's version.
        args: The task's arguments, defaults included.
        roles: The models on other roles, such as the simulated user, each with the
            settings it was given.
        generation: The settings of generation that were given.
        solver: The solver, if it is not the task's own.
        data: Names of packs and benchmark data -> their hashes.
        tags: The run's tags.
        metadata: The run's metadata.
        epochs: How often each sample was to be run.
        rules: How its samples belong together.
        primary: The score that it is judged by.
        scores: All numeric scores, in the log's order.
    """

    path: str
    task_id: str
    created: str
    status: str
    model: str
    model_args: Mapping[str, Any]
    task: str
    version: str
    args: Mapping[str, Any]
    roles: Mapping[str, str]
    generation: Mapping[str, Any]
    solver: str | None
    data: Mapping[str, str]
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    epochs: int
    rules: TaskRules
    primary: str
    scores: tuple[str, ...]

    @property
    def player(self) -> str:
        """The model, told from others of its name by what makes it another player."""
        if SWEEP_KEY in self.metadata:
            return str(self.metadata[SWEEP_KEY]["label"])
        if not self.model.startswith(_POLICIES) or not self.model_args:
            return self.model
        given = ", ".join(f"{name}={value}" for name, value in self.model_args.items())
        return f"{self.model} ({given})"


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """An episode: one run of a sample.

    Attributes:
        log: The log it is from.
        sample: The sample's id.
        epoch: Which run of the sample, from 1.
        cluster: What it shares with episodes that it is not independent of.
        group: The part of the task, if the task has parts.
        scores: Name -> value. A score that could not be given is not in it.
        missing: Why there is no score at all: a fault of the infrastructure, or no
            run. `None` when there is one.
        ended_by: How the episode ended, if the log tells.
        user_fault: Whether the simulated user made a fault, or ended the episode by
            one. The episode is scored all the same.
        steps: How many generations the agent had.
        tokens: Tokens of the model under test, read and written.
        cost: What they cost in dollars, if known; other roles not included.
        metadata: The sample's metadata, without what is longer than 1 kB.
        facts: The score's metadata, likewise (tool errors, calls, ...).
    """

    log: LogHeader
    sample: str
    epoch: int
    cluster: str
    group: str | None
    scores: Mapping[str, float]
    missing: str | None
    ended_by: str | None
    user_fault: bool
    steps: int | None
    tokens: int
    cost: float | None
    metadata: Mapping[str, Any]
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class ResultTable:
    """Episodes of any number of logs.

    Attributes:
        logs: The logs, in the order given.
        rows: Their episodes, those that are missing included.
        notes: What was left out in reading, a line each.
    """

    logs: tuple[LogHeader, ...]
    rows: tuple[EpisodeRow, ...]
    notes: tuple[str, ...] = ()

    def of_task(self, task: str) -> "ResultTable":
        """Return the part that is of one task."""
        return ResultTable(
            tuple(log for log in self.logs if log.task == task),
            tuple(row for row in self.rows if row.log.task == task),
            self.notes,
        )

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, in the order of the logs."""
        return tuple(dict.fromkeys(log.task for log in self.logs))
