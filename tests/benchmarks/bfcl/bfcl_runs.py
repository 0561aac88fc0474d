"""Runs of the task on the miniature, and what is read from their logs."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

from envscaler_eval.tasks import bfcl_multi_turn

Reply = Callable[[Sequence[ChatMessage], Sequence[ToolInfo]], Any]


class Runs:
    """Runs the task on the miniature."""

    def __init__(self, data: Path, logs: Path) -> None:
        """Say where the data is and where logs go."""
        self._data, self._logs = str(data), str(logs)

    def __call__(self, model: str | Model = "policy/oracle", **arguments: Any) -> EvalLog:
        """Run the task."""
        (log,) = inspect_eval(
            bfcl_multi_turn(data_dir=self._data, **arguments),
            model=model,
            log_dir=self._logs,
            log_realtime=False,
            display="none",
        )
        assert log.status == "success", log.error
        return log


def scripted(reply: Reply) -> Model:
    """Return a model that answers with text or with (tool, arguments) pairs."""

    def output(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, _: GenerateConfig
    ) -> ModelOutput:
        answer = reply(messages, tools)
        made = ModelOutput.from_content("scripted", answer if isinstance(answer, str) else "")
        if not isinstance(answer, str):
            made.choices[0].message.tool_calls = [
                call if isinstance(call, ToolCall) else ToolCall(str(i), call[0], call[1])
                for i, call in enumerate(answer)
            ]
        made.usage = ModelUsage()
        return made

    return get_model("mockllm/model", custom_outputs=output, memoize=False)


def values(log: EvalLog) -> dict[str, tuple[float, float]]:
    """Return accuracy and the part that passed, by sample."""
    return {
        str(sample.id): (score["accuracy"], score["envscaler_partial"])
        for sample in log.samples or []
        if isinstance(score := scored(sample).value, dict)
    }


def scored(sample: EvalSample) -> Any:
    """Return a sample's score."""
    assert sample.scores
    return sample.scores["bfcl"]


def sample(log: EvalLog, entry_id: str) -> EvalSample:
    """Return a sample."""
    return next(sample for sample in log.samples or [] if sample.id == entry_id)


def error_type(log: EvalLog, entry_id: str) -> Any:
    """Return the official error of a sample."""
    return scored(sample(log, entry_id)).metadata["error_type"]


def assistants(messages: Sequence[ChatMessage]) -> int:
    """Count generations."""
    return sum(isinstance(message, ChatMessageAssistant) for message in messages)


def turn_of(messages: Sequence[ChatMessage]) -> int:
    """Count turns of the user."""
    return sum(isinstance(message, ChatMessageUser) for message in messages)
