"""The scorer of ACEBench: the end state, and the milestones on the way."""

from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, grouped, mean, scorer, stderr
from inspect_ai.solver import TaskState

from envscaler_eval.benchmarks.acebench import scoring
from envscaler_eval.benchmarks.acebench.data import data_hash
from envscaler_eval.benchmarks.acebench.dataset import Datasets, Task
from envscaler_eval.benchmarks.acebench.dialogues import AnyDialogue, result_hash, retold
from envscaler_eval.benchmarks.acebench.faults import faults
from envscaler_eval.errors import UsageError
from envscaler_eval.scorers.macro import macro, macro_by, macro_stderr
from envscaler_eval.solvers.acebench.record import DialogueRecord, read_record
from envscaler_eval.solvers.acebench.start import live_dialogue

# `mean` is the micro mean. Runs of a task in two languages are one cluster.
_METRICS = [
    macro("subset"),
    macro_stderr("subset", cluster="task"),
    mean(),
    stderr(cluster="task"),
    grouped(mean(), "part", all=False),
    macro_by("language", group="subset"),
]


@scorer(metrics={"end_to_end": _METRICS, "process": _METRICS})
def acebench(data_dir: str | None = None) -> Scorer:
    """Score the end state and the milestones as upstream does.

    A running sample is scored where it stands, whatever ended it. A saved one is
    held again from what its log says was done, which must lead to the end state
    in the log.

    Args:
        data_dir: The folder that holds `acebench/`; see `envscaler data`.

    Returns:
        A scorer whose value holds `end_to_end` (1 if the end state is the
        expected one) and `process` (share of the milestones, 1 if it is).

    Raises:
        UsageError: A saved sample cannot be held again as it was.
    """
    datasets = Datasets(data_dir)

    async def score(state: TaskState, target: Target) -> Score:
        record = read_record(state)
        if record is None:
            raise UsageError(
                f"{state.sample_id}: the log holds no dialogue; run the task with its own solver"
            )
        live = live_dialogue()
        if live is None and record.data != data_hash():
            raise UsageError(
                f"{state.sample_id}: the log was made with other data, {record.data[:12]}, this "
                f"version has {data_hash()[:12]}; use the version of the log, or run the task again"
            )
        dataset = datasets.get(state.metadata["language"])
        task = dataset.task(state.metadata["task"])
        dialogue = live.dialogue if live else retold(dataset, task, record.protocol, record.said)
        reached = result_hash(dialogue.result())
        if reached != record.result:
            raise UsageError(
                f"{state.sample_id}: the log's dialogue ends in state {reached[:12]}, the log has "
                f"{record.result[:12]}; use the version of the log, or run the task again"
            )
        return _score(task, dialogue, record)

    return score


def _score(task: Task, dialogue: AnyDialogue, record: DialogueRecord) -> Score:
    scored = scoring.score(task, dialogue.result(), dialogue.process)
    return Score(
        value={"end_to_end": float(scored.end_to_end), "process": scored.process},
        answer=record.ended_by,
        explanation=_explanation(task, dialogue, scored),
        metadata=_metadata(task, dialogue, scored, record),
    )


def _metadata(
    task: Task, dialogue: AnyDialogue, scored: scoring.Score, record: DialogueRecord
) -> dict[str, Any]:
    return {
        "ended_by": record.ended_by,
        "steps": record.steps,
        "user_messages": len(record.said) - record.steps,
        "executed": len(dialogue.process),
        "milestones_matched": scored.matched,
        "milestones": scored.milestones,
        "faults": list(faults(task)),
    }


def _explanation(task: Task, dialogue: AnyDialogue, scored: scoring.Score) -> str:
    wrong = scoring.mismatches(task.ground_truth, dialogue.result())
    lines = [
        f"FAIL  end state: {', '.join(wrong)}" if wrong else "pass  end state",
        f"{scored.matched} of {scored.milestones} milestones in order",
    ]
    if tags := faults(task):
        lines.append(f"known faults of the task: {', '.join(tags)}")
    return "\n".join(lines)
