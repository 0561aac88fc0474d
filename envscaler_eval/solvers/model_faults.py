"""What can be wrong with a model's reply, whatever the tools make of it."""

from collections.abc import Collection
from typing import Literal, get_args

from inspect_ai.model import ContentText, ModelOutput

ModelFault = Literal[
    "malformed_arguments",
    "unknown_tool",
    "empty_reply",
    "refusal",
    "truncated",
    "text_beside_calls",
    "several_calls",
]

MODEL_FAULTS: tuple[ModelFault, ...] = get_args(ModelFault)
"""The kinds that a record counts."""


def faults_of(output: ModelOutput, tools: Collection[str]) -> list[ModelFault]:
    """Return what is wrong with a reply, each kind once for each time it occurs in it.

    Several calls in a turn and text beside calls are faults by the EnvScaler
    paper's rules only; they are counted whichever rules hold.

    Args:
        output: The reply.
        tools: The names of the tools on offer.
    """
    message = output.message
    calls = message.tool_calls or []
    found: list[ModelFault] = []
    for call in calls:
        if call.parse_error:
            found.append("malformed_arguments")
        elif call.function not in tools:
            found.append("unknown_tool")
    if len(calls) > 1:
        found.append("several_calls")
    if is_truncated(output):
        found.append("truncated")
    if is_refusal(output):
        found.append("refusal")
    elif calls and message.text.strip():
        found.append("text_beside_calls")
    elif is_empty(output):
        found.append("empty_reply")
    return found


def is_refusal(output: ModelOutput) -> bool:
    """Return whether the model or its provider's filter refuses, by a mark of its own.

    A refusal in plain words is a reply like any other.
    """
    content = output.message.content
    marked = not isinstance(content, str) and any(
        isinstance(part, ContentText) and part.refusal for part in content
    )
    return marked or output.stop_reason == "content_filter"


def is_truncated(output: ModelOutput) -> bool:
    """Return whether the reply ends where the model's maximum cut it."""
    return output.stop_reason == "max_tokens"


def is_empty(output: ModelOutput) -> bool:
    """Return whether a reply that came to its end says nothing and calls nothing."""
    message = output.message
    ended = output.stop_reason not in {"max_tokens", "model_length", "content_filter"}
    return ended and not message.tool_calls and not message.text.strip()
