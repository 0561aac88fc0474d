"""Trajectories out of Inspect logs."""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import (
    EvalLog,
    EvalSample,
    EvalSampleSummary,
    read_eval_log_sample,
    read_eval_log_sample_summaries,
    read_eval_log_samples_by_id,
)
from inspect_ai.model import ChatMessage

from envscaler_eval.errors import UsageError
from envscaler_eval.results.reading import latest_attempts, log_files, log_headers
from envscaler_eval.results.task_rules import short_name
from envscaler_eval.solvers.protocol import Mode
from envscaler_eval.solvers.record import EpisodeRecord, stored_record

_TASK = "envscaler"
_BATCH = 64

# Events hold every message again with each generation: most of a log, and of no use here.
_UNREAD = {"events", "attachments"}


@dataclass(frozen=True)
class LoggedTrajectory:
    """One attempt of a model at a scenario.

    Attributes:
        log: The log that holds it.
        sample: The sample's id in the log.
        epoch: Which attempt at the sample, from 1.
        env: The environment.
        scenario: The scenario.
        mode: `non_conv` or `conv`.
        split: The environment's split, `train` or `test`.
        pack_hash: The hash of the pack it was played on.
        model: The model.
        scores: `reward`, `success` and `paper_reward`; none where the scenario is
            not graded.
        record: What the log keeps of the episode; none where it came to nothing.
        messages: What the agent saw and said.
        error: What Inspect could not run it for, if so.
    """

    log: str
    sample: str
    epoch: int
    env: str
    scenario: str
    mode: Mode
    split: str
    pack_hash: str
    model: str
    scores: dict[str, float]
    record: EpisodeRecord | None
    messages: Sequence[ChatMessage]
    error: str | None

    @property
    def fault(self) -> str | None:
        """Why it came to no episode; none if it did."""
        if self.record is None:
            return self.error or "the log holds no episode"
        return self.record.breakdown


class TrajectoryLogs:
    """Logs of the task `envscaler`, to be read sample by sample."""

    def __init__(self, paths: Sequence[str | Path]) -> None:
        """Find the logs and read what stands at their head.

        Args:
            paths: Logs, and folders that hold some; of a run that was retried only
                the last attempt counts.

        Raises:
            UsageError: There is no such log, or it is of another task.
        """
        headers, unread = log_headers(log_files(paths))
        self._headers, left_out = latest_attempts(headers)
        self.notes = unread + left_out
        for header in self._headers:
            if short_name(header.eval.task) != _TASK:
                raise UsageError(
                    f"{header.location}: is of the task {header.eval.task}, a benchmark or one of "
                    "others; trajectories to train on come from envscaler_eval/envscaler"
                )
        self._tools: dict[tuple[str, str], str] = {}

    def environments(self) -> set[tuple[str, str]]:
        """Return the environments in the logs, each with its split."""
        return {
            (str(summary.metadata["env"]), str(summary.metadata["split"]))
            for header in self._headers
            for summary in read_eval_log_sample_summaries(header.location)
        }

    def read(self, envs: Collection[str] | None = None) -> Iterator[LoggedTrajectory]:
        """Yield the trajectories, those that came to nothing included.

        Args:
            envs: Keep these environments; all by default.
        """
        for header in self._headers:
            summaries = read_eval_log_sample_summaries(header.location)
            wanted = [s for s in summaries if envs is None or s.metadata["env"] in envs]
            for start in range(0, len(wanted), _BATCH):
                yield from _batch(header, wanted[start : start + _BATCH])

    def tools(self, trajectory: LoggedTrajectory) -> str:
        """Return the tools that a trajectory's agent was offered, as JSON.

        They are read once for each environment of a log.

        Returns:
            A list as chat templates take it: `type`, and `function` with `name`,
            `description` and `parameters`.
        """
        known = self._tools.get((trajectory.log, trajectory.env))
        if known is None:
            known = _tools(trajectory.log, trajectory.sample, trajectory.epoch)
            self._tools[trajectory.log, trajectory.env] = known
        return known


def _batch(header: EvalLog, summaries: Sequence[EvalSampleSummary]) -> Iterator[LoggedTrajectory]:
    samples = read_eval_log_samples_by_id(
        header.location,
        [(summary.id, summary.epoch) for summary in summaries],
        exclude_fields=_UNREAD,
    )
    for sample in samples:
        yield _trajectory(header, sample)


def _trajectory(header: EvalLog, sample: EvalSample) -> LoggedTrajectory:
    facts = sample.metadata
    record = None if sample.error else stored_record(sample.store, EpisodeRecord)
    score = (sample.scores or {}).get("checklist")
    value: Any = score.value if score is not None else None
    return LoggedTrajectory(
        log=header.location,
        sample=str(sample.id),
        epoch=sample.epoch,
        env=facts["env"],
        scenario=facts["scenario"],
        mode=facts["mode"],
        split=facts["split"],
        pack_hash=facts["pack_hash"],
        model=header.eval.model,
        scores={name: float(number) for name, number in value.items()}
        if isinstance(value, dict)
        else {},
        record=record,
        messages=sample.messages,
        error=sample.error.message if sample.error else None,
    )


def _tools(log: str, sample: str, epoch: int) -> str:
    read = read_eval_log_sample(log, sample, epoch, resolve_attachments=True)
    generations = (event for event in read.events if isinstance(event, ModelEvent))
    offered = next((event.tools for event in generations if event.role is None), None)
    if not offered:
        raise UsageError(
            f"{log}: sample {sample} shows no tools; the log must keep the events of its samples"
        )
    return json.dumps(
        [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters.model_dump(mode="json", exclude_none=True),
                },
            }
            for tool in offered
        ],
        ensure_ascii=False,
    )
