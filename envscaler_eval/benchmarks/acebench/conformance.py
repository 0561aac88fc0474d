"""Running given messages as upstream would, for comparison with it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from envscaler_eval.benchmarks.acebench.dataset import Dataset, Language, Task, load
from envscaler_eval.benchmarks.acebench.execution import (
    execute_multi_step,
    execute_multi_turn,
    is_for_execution,
)
from envscaler_eval.benchmarks.acebench.scoring import score
from envscaler_eval.benchmarks.acebench.worlds import AceWorld


def replay(
    language: Language,
    task_id: str,
    messages: Sequence[str],
    data_dir: str | Path | None = None,
) -> dict[str, Any]:
    """Replay an agent's messages on a task and score them as upstream does.

    Messages are taken one by one, without the loops' prompts, limits and ends.

    Args:
        language: `en` or `zh`.
        task_id: Upstream's id of the task.
        messages: What the agent wrote, in order.
        data_dir: See `envscaler_eval.benchmarks.acebench.data.locate`.

    Returns:
        `kind`, `task_id`, `messages`, `steps` (for each message `message`, `to`:
        `execution` or `user`, and if executed `observation` and
        `observation_text`), `result`, `process`, `official_end_ok` and
        `official_process`.

    Raises:
        DataError: If the data is missing or not the pinned data.
        ValueError: If there is no such language or task.
    """
    dataset = load(language, data_dir)
    return replay_task(dataset, dataset.task(task_id), messages)


def replay_task(dataset: Dataset, task: Task, messages: Sequence[str]) -> dict[str, Any]:
    """Do what `replay` does on a task of any data.

    Args:
        dataset: The data, in the task's language.
        task: The task.
        messages: What the agent wrote, in order.
    """
    world = AceWorld(dataset, task)
    execute = execute_multi_step if task.kind == "multi_step" else execute_multi_turn
    steps: list[dict[str, Any]] = []
    process: list[str] = []
    kept = False
    for message in messages:
        if task.kind == "multi_turn" and not is_for_execution(message):
            steps.append({"message": message, "to": "user"})
            continue
        execution = execute(world, message)
        kept = kept or execution.kept
        process.append(message)
        steps.append(
            {
                "message": message,
                "to": "execution",
                "observation": execution.observation,
                "observation_text": str(execution.observation),
            }
        )
    result = world.result() if kept else []
    scored = score(task, result, process)
    return {
        "kind": task.kind,
        "task_id": task.id,
        "messages": list(messages),
        "steps": steps,
        "result": result,
        "process": process,
        "official_end_ok": scored.end_to_end,
        # Upstream's figure for a run of this one task, so rounded.
        "official_process": round(scored.process, 3),
    }
