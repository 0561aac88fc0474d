"""Running the task through Inspect with models that say what a test wants."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.tool import ToolCall

from envscaler_eval.tasks import envscaler

Reply = ModelOutput | Callable[[Sequence[ChatMessage]], ModelOutput]


def say(text: str, *calls: ToolCall, stop_reason: Any = "stop") -> ModelOutput:
    """Return a model's turn: what it says and which tools it calls."""
    message = ChatMessageAssistant(content=text, tool_calls=list(calls) or None)
    return ModelOutput(
        model="mockllm/model",
        choices=[ChatCompletionChoice(message=message, stop_reason=stop_reason)],
        # Without usage Inspect counts tokens with a vocabulary from the network.
        usage=ModelUsage(input_tokens=10, output_tokens=10, total_tokens=20),
    )


def call(
    name: str, call_id: str = "", parse_error: str | None = None, **arguments: Any
) -> ToolCall:
    """Return a tool call."""
    return ToolCall(
        id=call_id or f"call-{name}",
        function=name,
        arguments=arguments,
        parse_error=parse_error,
    )


TAKE = call("take_item", item_id="I-1", quantity=3)
ORDER = call("order_item", item_id="I-2", priority="high")


def model(*replies: Reply) -> Model:
    """Return a model whose n-th turn is the n-th reply, and then the last one."""

    def generate(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        turn = sum(isinstance(message, ChatMessageAssistant) for message in messages)
        reply = replies[min(turn, len(replies) - 1)]
        return reply if isinstance(reply, ModelOutput) else reply(messages)

    return get_model("mockllm/model", custom_outputs=generate, memoize=False)


def run(
    pack: Path | str,
    player: Model | str,
    log_dir: Path,
    user: Model | str | None = None,
    **args: Any,
) -> EvalLog:
    """Run the task on a pack and return the log; `eval_*` arguments go to Inspect."""
    options = {key.removeprefix("eval_"): args.pop(key) for key in list(args) if "eval_" in key}
    (log,) = inspect_eval(
        envscaler(envs=str(pack), **args),
        model=player,
        model_roles={"user": user} if user is not None else None,
        log_dir=str(log_dir),
        log_realtime=False,
        display="none",
        **options,
    )
    return log


def only(log: EvalLog) -> EvalSample:
    """Return the one sample of a log that succeeded."""
    assert log.status == "success", log.error
    assert log.samples is not None
    (sample,) = log.samples
    return sample


def score(sample: EvalSample) -> dict[str, float]:
    """Return a sample's score by name."""
    assert sample.scores is not None, sample.error
    value = sample.scores["checklist"].value
    assert isinstance(value, dict)
    return {key: float(str(number)) for key, number in value.items()}


def facts(sample: EvalSample) -> dict[str, Any]:
    """Return what the score tells beside its value."""
    assert sample.scores is not None, sample.error
    return sample.scores["checklist"].metadata or {}


def observations(sample: EvalSample) -> list[str]:
    """Return what the sample's tool calls gave."""
    return [message.text for message in sample.messages if message.role == "tool"]
