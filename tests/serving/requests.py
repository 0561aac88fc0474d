"""Requests as clients make them, without a server."""

from collections.abc import Sequence
from typing import Any

from envscaler_eval.pack import Pack
from envscaler_eval.serving.conversation import Conversation, read_conversation
from envscaler_eval.serving.reply import Reply

TOOLS = [{"type": "function", "function": {"name": "list_items", "description": "List them."}}]


def conversation(*messages: tuple[str, str], tools: Any = TOOLS) -> Conversation:
    """Return a conversation of plain messages, each a role and a text."""
    told = [{"role": role, "content": text} for role, text in messages]
    return read_conversation({"messages": told, "tools": tools})


def kept(reply: Reply) -> dict[str, Any]:
    """Return a reply as a client keeps it in the history."""
    calls = [
        {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
        for c in reply.calls
    ]
    message = {"role": "assistant", "content": reply.text or reply.refusal}
    return {**message, "tool_calls": calls} if calls else message


def prompt(pack: Pack, now: str = "") -> str:
    """Return a prompt that introduces an environment, as any harness might."""
    return f"Be helpful.\n\n{pack.info.introduction}\n\n{now}"


def observations(reply: Reply, texts: Sequence[str]) -> list[dict[str, Any]]:
    """Return the messages that answer the calls of a reply."""
    return [
        {"role": "tool", "tool_call_id": call.id, "content": text}
        for call, text in zip(reply.calls, texts, strict=True)
    ]
