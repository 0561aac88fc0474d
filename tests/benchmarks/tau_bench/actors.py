"""Agents and users that say given things, and the evaluation they act in."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelUsage,
    StopReason,
    get_model,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

from envscaler_eval.scorers.tau_bench import tau_bench as scorer
from envscaler_eval.tasks import tau_bench

Turn = str | list[ToolCall] | tuple[str, list[ToolCall]] | ModelOutput | Exception


def call(name: str, parse_error: str | None = None, **arguments: Any) -> ToolCall:
    """A call of a tool."""
    return ToolCall(id=f"id_{name}", function=name, arguments=arguments, parse_error=parse_error)


CANCEL = call("cancel_pending_order", order_id="#W1", reason="no longer needed")
TOLD = "It was $40.1 with the kite."


def says(*turns: Turn) -> Model:
    """A model that says given things, by how often it has spoken, and then the last again."""

    def answer(
        messages: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        spoken = sum(isinstance(message, ChatMessageAssistant) for message in messages)
        turn = turns[min(spoken, len(turns) - 1)]
        if isinstance(turn, Exception):
            raise turn
        return turn if isinstance(turn, ModelOutput) else output(turn)

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def output(
    turn: str | list[ToolCall] | tuple[str, list[ToolCall]], stop: StopReason = "stop"
) -> ModelOutput:
    """What a model answers."""
    match turn:
        case str():
            message = ChatMessageAssistant(content=turn, source="generate")
        case list():
            message = ChatMessageAssistant(content="", tool_calls=turn, source="generate")
        case (text, calls):
            message = ChatMessageAssistant(content=text, tool_calls=calls, source="generate")
    return ModelOutput(
        model="mockllm/model",
        choices=[ChatCompletionChoice(message=message, stop_reason=stop)],
        usage=ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2),
    )


def run(
    log_dir: Path,
    agent: Model | str,
    user: Model | str | None,
    domain: str = "retail",
    task: int | Sequence[int] | None = 0,
    settings: dict[str, Any] | None = None,
    **parameters: Any,
) -> EvalLog:
    """Evaluate an agent with a user."""
    (log,) = inspect_eval(
        tau_bench(domain=domain, task_ids=task, **parameters),
        model=agent,
        model_roles={"user": user} if user is not None else None,
        log_dir=str(log_dir),
        log_realtime=False,
        display="none",
        **{"fail_on_error": False, **(settings or {})},
    )
    return log


def samples(log: EvalLog) -> Sequence[EvalSample]:
    """The samples of a log."""
    assert log.samples is not None
    return log.samples


def value(sample: EvalSample) -> dict[str, float]:
    """What a sample scored."""
    assert sample.scores is not None
    scored = sample.scores["tau_bench"].value
    assert isinstance(scored, dict)
    return {key: float(part) for key, part in scored.items() if part is not None}


def facts(sample: EvalSample) -> dict[str, Any]:
    """What is told with the score."""
    assert sample.scores is not None
    return sample.scores["tau_bench"].metadata or {}


__all__ = ["CANCEL", "TOLD", "call", "facts", "output", "run", "samples", "says", "scorer", "value"]
