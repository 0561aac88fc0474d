"""Labelled runs of a task on their way to a grid: which samples can be compared."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from envscaler_eval.errors import UsageError
from envscaler_eval.results.comparability import check_comparable, without_repeats
from envscaler_eval.results.comparing import Accepted
from envscaler_eval.results.grid import Array, Missing, ScoreGrid
from envscaler_eval.results.labels import LabelledLogs
from envscaler_eval.results.missing import mean_bounds, score_range
from envscaler_eval.results.pairing import SampleRuns, runs_by_sample, sample_weights
from envscaler_eval.results.table import ResultTable


def score_grid(
    task: str,
    tables: Mapping[str, ResultTable],
    accepted: Accepted,
    score: str | None = None,
) -> ScoreGrid:
    """Align labelled runs of a task by sample.

    Args:
        task: The task; logs of others are not looked at.
        tables: Label -> logs.
        accepted: What is compared all the same.
        score: The score to compare; by default the one that the task is judged by.

    Raises:
        UsageError: A label has a sample twice, a log lacks the score, was made under other
            conditions or on other samples, or no sample is scored in all runs.
    """
    of_task = {label: table.of_task(task) for label, table in tables.items()}
    of_task = {
        label: without_repeats(table, accepted.repeats, label)
        for label, table in of_task.items()
        if table.logs
    }
    logs = [log for table in of_task.values() for log in table.logs]
    notes = check_comparable(logs, accepted.differences)
    name = score or logs[0].primary
    for log in logs:
        if name not in log.scores:
            known = ", ".join(log.scores)
            raise UsageError(f"{log.path}: there is no score '{name}'; it has {known}")
    runs = _placed({label: runs_by_sample(its.rows, name) for label, its in of_task.items()})
    shared, unshared = _shared(runs)
    scored = [s for s in shared if all(len(its[s].values) for its in runs.values())]
    if unshared and not accepted.differences:
        raise UsageError(
            f"{task}: {len(unshared)} samples are not in the logs of all of {', '.join(runs)}, "
            f"such as {unshared[0]}; run all on the same samples, or compare those that all have "
            "with --accept-differences"
        )
    if not scored:
        raise UsageError(
            f"{task}: no sample is scored in all of {', '.join(runs)}; retry what is missing with "
            "`inspect eval-retry`"
        )
    if unshared:
        notes.append(f"{task}: {len(unshared)} samples are not in all logs and are left out")
    first = next(iter(runs.values()))
    return ScoreGrid(
        task=task,
        score=name,
        labels=tuple(runs),
        samples=tuple(scored),
        clusters=tuple(first[sample].cluster for sample in scored),
        groups=tuple(first[sample].group for sample in scored),
        values=np.array([[its[s].mean for its in runs.values()] for s in scored]),
        steps=_steps(of_task, scored),
        weights=sample_weights([first[sample] for sample in scored], logs[0].rules.macro),
        missing=_missing(runs, shared, logs[0].rules.macro),
        notes=tuple(notes),
    )


def score_grids(
    logs: LabelledLogs, accepted: Accepted, score: str | None = None
) -> list[ScoreGrid]:
    """Align labelled runs on each of their tasks; see `score_grid`."""
    return [score_grid(task, logs.tables, accepted, score) for task in logs.tasks]


def _placed(runs: Mapping[str, Mapping[str, SampleRuns]]) -> dict[str, dict[str, SampleRuns]]:
    """Give samples that a run never began their cluster and group, from a run that did."""
    told: dict[str, SampleRuns] = {}
    for its in runs.values():
        for sample, each in its.items():
            if len(each.values) or sample not in told:
                told[sample] = each
    return {
        label: {
            sample: replace(each, cluster=told[sample].cluster, group=told[sample].group)
            for sample, each in its.items()
        }
        for label, its in runs.items()
    }


def _shared(runs: Mapping[str, Mapping[str, SampleRuns]]) -> tuple[list[str], list[str]]:
    """Return the samples that all runs were given, and those that only some were.

    Of the former those that could be graded in no run, as they have no checks, are left out.
    """
    given = dict.fromkeys(sample for its in runs.values() for sample in its)
    common = [sample for sample in given if all(sample in its for its in runs.values())]
    graded = [s for s in common if not all(its[s].ungraded for its in runs.values())]
    return sorted(graded), sorted(given.keys() - set(common))


def _missing(
    runs: Mapping[str, Mapping[str, SampleRuns]], samples: Sequence[str], macro: bool
) -> dict[str, Missing]:
    by_label = {label: [its[sample] for sample in samples] for label, its in runs.items()}
    limits = score_range(*by_label.values())
    return {
        label: Missing(sum(each.missing for each in its), mean_bounds(its, macro, limits))
        for label, its in by_label.items()
    }


def _steps(tables: Mapping[str, ResultTable], samples: Sequence[str]) -> Array:
    steps = np.full((len(samples), len(tables)), np.nan)
    for column, table in enumerate(tables.values()):
        told: dict[str, list[int]] = {}
        for row in table.rows:
            if row.steps is not None:
                told.setdefault(row.sample, []).append(row.steps)
        for place, sample in enumerate(samples):
            if sample in told:
                steps[place, column] = np.mean(told[sample])
    return steps
