"""Attempts at the stock room by a model that thinks aloud, as Inspect logs them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.tool import ToolCall

from envscaler_eval.exports.sft import SftChoices, SftSource, export_sft
from envscaler_eval.exports.trajectories import LoggedTrajectory, TrajectoryLogs
from envscaler_eval.exports.trajectory_filter import FilterCounts, TrajectoryFilter
from tests.inspect_runs import ORDER, TAKE, Reply, call, model, run
from tests.pack_files import write_pack


def think(thought: str, text: str, *calls: ToolCall, stop_reason: Any = "stop") -> ModelOutput:
    """Return a model's turn with its reasoning."""
    message = ChatMessageAssistant(
        content=[ContentReasoning(reasoning=thought), ContentText(text=text)],
        tool_calls=list(calls) or None,
    )
    return ModelOutput(
        model="mockllm/model",
        choices=[ChatCompletionChoice(message=message, stop_reason=stop_reason)],
        usage=ModelUsage(input_tokens=10, output_tokens=10, total_tokens=20),
    )


LIST = call("list_items", "call-1")
WELL_DONE = (
    think("First I look.", "Let me see.", LIST),
    think("Both at once: 3 < 10 & 'nuts'.", "", TAKE, ORDER),
    think("That is all.", "Task Completed"),
)
HALF_DONE = (think("Bolts only.", "", TAKE), think("Enough.", "Task Completed"))


def a_log(
    root: Path,
    *turns: Reply,
    packs: Mapping[str, Mapping[str, Any]] | None = None,
    **args: Any,
) -> Path:
    """Run a model on stock rooms and return the folder of the log.

    Args:
        root: Where packs and logs go.
        turns: The model's turns, those that do well by default.
        packs: Ids of the packs, each with what is changed of it.
        args: Arguments of the run.
    """
    for env, changes in (packs or {"stock_room": {}}).items():
        write_pack(root / "packs", env, **changes)
    player = model(*(turns or WELL_DONE))
    run(root / "packs", player, root / "logs", isolation="in_process", **args)
    return root / "logs"


def trajectories(logs: Path) -> list[LoggedTrajectory]:
    """Read all trajectories of a folder of logs."""
    return list(TrajectoryLogs([logs]).read())


def export(
    out: Path, *logs: Path, wanted: Mapping[str, Any] | None = None, **choices: Any
) -> FilterCounts:
    """Export logs; `wanted` are attributes of the filter."""
    source = SftSource(TrajectoryLogs(list(logs)), TrajectoryFilter(**(wanted or {})))
    return export_sft([source], out, SftChoices(**choices))


def contents(messages: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return roles and contents, which read as the conversation."""
    return [(message["role"], message["content"]) for message in messages]
