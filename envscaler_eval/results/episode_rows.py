"""The rows of a log's episodes, from the summaries of its samples and from its plan."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspect_ai.log import EvalSampleSummary, EvalSpec
from inspect_ai.model import ModelUsage

from envscaler_eval.errors import UsageError
from envscaler_eval.results.score_values import Part, score_numbers
from envscaler_eval.results.table import EpisodeRow, LogHeader

# What Inspect puts in the place of an entry that is too long.
_REMOVED = "Key removed from summary (> 1k)"


def episode_rows(
    log: LogHeader,
    spec: EvalSpec,
    summaries: Sequence[EvalSampleSummary],
    names: Mapping[Part, str],
) -> Iterator[EpisodeRow]:
    """Return a row for each episode that was run, and for each that was only planned.

    Args:
        log: The log.
        spec: What it was to run.
        summaries: What it ran.
        names: The numeric parts of its scores, with their names.

    Raises:
        UsageError: A sample lacks the metadata that names its cluster.
    """
    seen: set[tuple[str, int]] = set()
    metadata_of: dict[str, dict[str, Any]] = {}
    for summary in summaries:
        seen.add((str(summary.id), summary.epoch))
        metadata_of[str(summary.id)] = summary.metadata
        yield _row(log, summary, names)
    for sample in map(str, spec.dataset.sample_ids or ()):
        for epoch in range(1, log.epochs + 1):
            if (sample, epoch) not in seen:
                yield row_not_run(log, sample, epoch, metadata_of.get(sample))


def _row(log: LogHeader, summary: EvalSampleSummary, names: Mapping[Part, str]) -> EpisodeRow:
    # What was scored after a fault of the infrastructure says nothing about the model.
    scores = {} if summary.error else score_numbers(summary.scores, names)
    facts: dict[str, Any] = {}
    for score in reversed((summary.scores or {}).values()):
        facts |= _kept(score.metadata or {})
    user_fault = scores.pop(log.rules.user_faults or "", 0.0) > 0
    ended_by = _ended_by(summary, facts)
    tokens, cost = _usage(summary)
    sample = str(summary.id)
    return EpisodeRow(
        log=log,
        sample=sample,
        epoch=summary.epoch,
        cluster=_cluster(log, sample, summary.metadata),
        group=log.rules.group_of(summary.metadata),
        scores=scores,
        missing=None if scores else _why_missing(summary),
        ended_by=ended_by,
        user_fault=user_fault or ended_by == "user_fault",
        steps=facts.get("steps", summary.turn_count),
        tokens=tokens,
        cost=cost,
        metadata=_kept(summary.metadata),
        facts=facts,
    )


def row_not_run(
    log: LogHeader, sample: str, epoch: int, metadata: Mapping[str, Any] | None = None
) -> EpisodeRow:
    """Return the row of an episode of which there is only the plan.

    Args:
        log: The log that it would be in, or one of its kind.
        sample: Its sample.
        epoch: Which run of the sample it is.
        metadata: The sample's, if another epoch was run; without it the cluster is not
            known.
    """
    return EpisodeRow(
        log=log,
        sample=sample,
        epoch=epoch,
        cluster=_cluster(log, sample, metadata) if metadata else sample,
        group=log.rules.group_of(metadata) if metadata else None,
        scores={},
        missing="not run",
        ended_by=None,
        user_fault=False,
        steps=None,
        tokens=0,
        cost=None,
        metadata=metadata or {},
        facts={},
    )


def _kept(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata without the entries that were too long for the summary."""
    return {name: value for name, value in metadata.items() if value != _REMOVED}


def _cluster(log: LogHeader, sample: str, metadata: Mapping[str, Any]) -> str:
    try:
        return log.rules.cluster_of(sample, metadata)
    except KeyError as missing:
        raise UsageError(
            f"{log.path}: sample {sample} has no metadata {missing}, which names its cluster; "
            "choose another with --cluster"
        ) from None


def _why_missing(summary: EvalSampleSummary) -> str:
    if summary.error:
        return f"error: {summary.error}"
    if not summary.scores:
        return "not run"
    reasons = (str(score.reason) for score in summary.scores.values() if score.reason)
    return f"unscored: {next(reasons, 'no reason given')}"


def _ended_by(summary: EvalSampleSummary, facts: Mapping[str, Any]) -> str | None:
    if summary.error:
        return None
    told = facts.get("ended_by")
    if told is not None:
        return str(told)
    return f"{summary.limit}_limit" if summary.limit else "completed"


def _usage(summary: EvalSampleSummary) -> tuple[int, float | None]:
    """Return the tokens and the cost of the model under test; roles are not included."""
    of_all = sum(summary.model_usage.values(), ModelUsage())
    of_roles = sum(summary.role_usage.values(), ModelUsage())
    cost = of_all.total_cost
    if cost is not None:
        cost -= of_roles.total_cost or 0.0
    return of_all.total_tokens - of_roles.total_tokens, cost
