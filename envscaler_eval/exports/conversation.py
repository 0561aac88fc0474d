"""Inspect's messages in the form that chat templates take."""

from collections.abc import Iterable
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ContentReasoning,
)

Message = dict[str, Any]


def conversation(messages: Iterable[ChatMessage]) -> list[Message]:
    """Return messages as chat templates and trainers take them.

    Roles are system, user, assistant and tool. An assistant's reasoning is in
    `reasoning_content`, beside the content, where Qwen3 and its kin look for it;
    its calls are nested under `function`, with their arguments as objects.

    Args:
        messages: What the agent saw and said.
    """
    return [_message(message) for message in messages]


def reasoning(message: ChatMessageAssistant) -> str:
    """Return what an assistant thought before it spoke, as far as its provider shows it."""
    if isinstance(message.content, str):
        return ""
    parts = (
        (part.summary or "") if part.redacted else part.reasoning
        for part in message.content
        if isinstance(part, ContentReasoning)
    )
    return "\n".join(part for part in parts if part)


def _message(message: ChatMessage) -> Message:
    told: Message = {"role": message.role, "content": message.text}
    if isinstance(message, ChatMessageAssistant):
        thought = reasoning(message)
        if thought:
            told["reasoning_content"] = thought
        if message.tool_calls:
            told["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.function, "arguments": call.arguments},
                }
                for call in message.tool_calls
            ]
    elif isinstance(message, ChatMessageTool):
        if message.error is not None:
            # Providers show the model a call that failed to run in these words.
            told["content"] = f"Error: {message.error.message}"
        told["tool_call_id"] = message.tool_call_id or ""
        told["name"] = message.function or ""
    return told
