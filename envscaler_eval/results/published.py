"""The EnvScaler paper's figures, and runs beside them."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from envscaler_eval import core_yaml
from envscaler_eval.errors import UsageError
from envscaler_eval.results.document import PlainTable
from envscaler_eval.results.pairing import SampleRuns, runs_by_sample, sample_weights
from envscaler_eval.results.table import ResultTable

_FILE = Path(__file__).with_name("published.yaml")


class PublishedRow(BaseModel):
    """What was published of a model, in percent: a task's parts, then their mean.

    Attributes:
        model: The model.
        training: How it was trained on EnvScaler's environments.
        bfcl_multi_turn: BFCL-v3 Multi-Turn.
        tau_bench: Tau-Bench.
        acebench_agent: ACEBench-Agent.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    training: str
    bfcl_multi_turn: tuple[float, float, float, float, float]
    tau_bench: tuple[float, float, float]
    acebench_agent: tuple[float, float, float]

    def of_task(self, task: str) -> tuple[float, ...]:
        """Return the figures of a task."""
        figures: tuple[float, ...] = getattr(self, task)
        return figures


class Published(BaseModel):
    """The published figures.

    Attributes:
        source: Where they are from.
        columns: Task -> the names of its parts.
        rows: The figures.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    columns: Mapping[str, tuple[str, ...]]
    rows: tuple[PublishedRow, ...]


@cache
def published() -> Published:
    """Return the published figures."""
    return Published.model_validate(core_yaml.load(_FILE.read_text(encoding="utf-8")))


def published_tables(sides: Sequence[ResultTable]) -> list[PlainTable]:
    """Return a table for each published task, with the runs on top.

    Args:
        sides: The logs of each model.

    Raises:
        UsageError: No log is of a task with published figures.
    """
    figures = published()
    tasks = [task for task in figures.columns if any(task in side.tasks for side in sides)]
    if not tasks:
        raise UsageError(
            f"there are no published figures of these logs' tasks; there are of "
            f"{', '.join(figures.columns)}"
        )
    return [_table(figures, task, [side for side in sides if task in side.tasks]) for task in tasks]


def _table(figures: Published, task: str, sides: Sequence[ResultTable]) -> PlainTable:
    columns = figures.columns[task]
    rows = [_own_row(side.of_task(task), columns) for side in sides]
    rows += [
        (row.model, row.training, "published", *(f"{value:.2f}" for value in row.of_task(task)))
        for row in figures.rows
    ]
    logs = [log for side in sides for log in side.of_task(task).logs]
    protocols = {str(log.args.get("protocol")) for log in logs}
    unlike = protocols - {"paper"}
    return PlainTable(
        title=f"{task} beside the EnvScaler paper, in percent",
        headers=("model", "training", "figures", *columns, "mean"),
        rows=tuple(rows),
        note=f"Published: {figures.source}; not run again here."
        + (
            f" These runs are by protocol={', '.join(sorted(unlike))}, the paper's by "
            "protocol=paper: they differ in more than the model."
            if unlike
            else ""
        ),
    )


def _own_row(table: ResultTable, columns: Sequence[str]) -> tuple[str, ...]:
    log = table.logs[0]
    by_sample = runs_by_sample(table.rows, log.primary).values()
    runs = [one for one in by_sample if len(one.values)]
    missing = sum(one.missing for one in by_sample)
    means = [_mean([one for one in runs if one.group == column]) for column in columns]
    complete = [mean for mean in means if mean is not None]
    overall = sum(complete) / len(columns) if len(complete) == len(columns) else None
    return (
        log.player,
        "",
        f"this run, {missing} episodes missing" if missing else "this run",
        *("-" if mean is None else f"{100 * mean:.2f}" for mean in (*means, overall)),
    )


def _mean(runs: Sequence[SampleRuns]) -> float | None:
    if not runs:
        return None
    weights = sample_weights(runs, macro=False)
    return float(sum(weight * one.mean for weight, one in zip(weights, runs, strict=True)))
