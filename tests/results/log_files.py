"""Logs that say what a test wants, without a run."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalSample,
    EvalSpec,
    write_eval_log,
)
from inspect_ai.model import GenerateConfig, ModelConfig, ModelUsage
from inspect_ai.scorer import Score, Value

Outcome = Value | Score | Exception | None
"""What a run of a sample gave: a value, a score, an error, or nothing: it never ran."""

Runs = Mapping[str, Sequence[Outcome]]
"""Sample -> its runs."""


def write_log(
    folder: Path,
    runs: Runs,
    *,
    name: str = "log.eval",
    model: str = "acme/one",
    task: str = "quiz",
    scorer: str = "judge",
    sample_metadata: Mapping[str, Mapping[str, Any]] | None = None,
    facts: Mapping[str, Any] | None = None,
    usage: Mapping[str, ModelUsage] | None = None,
    role_usage: Mapping[str, ModelUsage] | None = None,
    roles: Mapping[str, str] | None = None,
    status: Literal["success", "cancelled"] = "success",
    **spec: Any,
) -> Path:
    """Write a log and return its path.

    Args:
        folder: Where.
        runs: The samples and what their runs gave; all are planned.
        name: The file.
        model: The model.
        task: The task.
        scorer: The scorer of plain values.
        sample_metadata: Sample -> its metadata; a key "*" holds what all samples have.
        facts: The metadata of each score.
        usage: The tokens of each sample, by model.
        role_usage: The tokens of each sample, by role.
        roles: Role -> model.
        status: How the run ended.
        spec: Other entries of the log's `EvalSpec`.
    """
    epochs = max((len(outcomes) for outcomes in runs.values()), default=1)
    known = sample_metadata or {}
    samples = [
        EvalSample(
            id=sample,
            epoch=epoch,
            input="?",
            target="",
            metadata={**known.get("*", {}), **known.get(sample, {})},
            scores=_scores(outcome, scorer, facts),
            model_usage=dict(usage or {}),
            role_usage=dict(role_usage or {}),
            error=_error(outcome),
        )
        for sample, outcomes in runs.items()
        for epoch, outcome in enumerate(outcomes, start=1)
        if outcome is not None
    ]
    log = EvalLog(
        status=status,
        eval=EvalSpec(
            **{
                "created": "2026-01-01T00:00:00+00:00",
                "task": task,
                "task_id": f"{folder.name}/{name}",
                "model": model,
                "dataset": EvalDataset(sample_ids=list(runs), samples=len(runs)),
                "config": EvalConfig(epochs=epochs),
                "model_generate_config": GenerateConfig(),
                "model_roles": {
                    role: ModelConfig(model=its) for role, its in (roles or {}).items()
                },
                **spec,
            }
        ),
        samples=samples,
    )
    path = folder / name
    folder.mkdir(parents=True, exist_ok=True)
    write_eval_log(log, str(path))
    return path


def _scores(
    outcome: Value | Score | Exception, scorer: str, facts: Mapping[str, Any] | None
) -> dict[str, Score] | None:
    if isinstance(outcome, Exception):
        return None
    if isinstance(outcome, Score):
        return {scorer: outcome}
    return {scorer: Score(value=outcome, metadata=dict(facts or {}))}


def _error(outcome: Value | Score | Exception) -> EvalError | None:
    if not isinstance(outcome, Exception):
        return None
    return EvalError(message=str(outcome), traceback="", traceback_ansi="")
