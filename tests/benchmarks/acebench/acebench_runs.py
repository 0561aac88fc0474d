"""Running the task offline, with reference policies or with scripted models."""

from collections.abc import Callable, Sequence
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
    get_model,
)
from inspect_ai.tool import ToolCall

from envscaler_eval.tasks import acebench_agent

Script = Callable[[list[ChatMessage], GenerateConfig], ModelOutput]


def run(
    data_dir: str,
    log_dir: Path,
    model: str | Model = "policy/oracle",
    user: str | Model | None = "policy/user",
    limits: dict[str, Any] | None = None,
    **arguments: Any,
) -> EvalLog:
    """Run the task and return its log."""
    (log,) = inspect_eval(
        acebench_agent(data_dir=data_dir, **arguments),
        model=model,
        model_roles={"user": user} if user else None,
        log_dir=str(log_dir),
        log_realtime=False,
        display="none",
        **(limits or {}),
    )
    return log


def samples(log: EvalLog) -> dict[str, EvalSample]:
    """Return the samples of a successful log by id."""
    assert log.status == "success", log.error
    return {str(sample.id): sample for sample in log.samples or []}


def value(sample: EvalSample, key: str) -> float:
    """Return a sample's value of a key."""
    scored = (sample.scores or {})["acebench"].value
    assert isinstance(scored, dict)
    return float(scored[key] or 0)


def about(sample: EvalSample) -> dict[str, Any]:
    """Return what the score says beside its value."""
    return (sample.scores or {})["acebench"].metadata or {}


def metrics(log: EvalLog, score: str) -> dict[str, float]:
    """Return the metrics of a score by their short names."""
    assert log.results is not None
    found = next(item for item in log.results.scores if item.name == score)
    return {metric.name.split("/")[-1]: metric.value for metric in found.metrics.values()}


def scripted(script: Script) -> Model:
    """Return a model that answers by a function of what it is shown."""
    return get_model(
        "mockllm/model",
        memoize=False,
        custom_outputs=lambda input, tools, choice, config: script(input, config),
    )


def says(text: str = "", *calls: ToolCall, stop: Any = "stop") -> ModelOutput:
    """Return an output of a scripted model."""
    message = ChatMessageAssistant(content=text, tool_calls=list(calls) or None)
    choice = ChatCompletionChoice(message=message, stop_reason=stop)
    usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return ModelOutput(model="mockllm/model", choices=[choice], usage=usage)


def in_turn(outputs: Sequence[ModelOutput]) -> Model:
    """Return a model for one sample that gives outputs in turn, the last one forever."""
    given = iter(outputs)
    last = outputs[-1]
    return scripted(lambda input, config: next(given, last).model_copy(deep=True))
