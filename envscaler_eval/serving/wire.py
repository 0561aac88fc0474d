"""Replies and errors in the form of OpenAI's chat completions."""

import json
import time
from collections.abc import Iterator
from typing import Any

from envscaler_eval.policies.tokens import estimated_tokens
from envscaler_eval.serving.conversation import Conversation
from envscaler_eval.serving.reply import Reply, WireCall

_PIECE = 24
"""How many characters a piece of a stream has."""


def completion(reply: Reply, model: str, conversation: Conversation) -> dict[str, Any]:
    """Return a reply as one object."""
    message: dict[str, Any] = {
        "role": "assistant",
        "content": None if reply.calls and not reply.text else reply.text,
    }
    if reply.refusal:
        message |= {"content": None, "refusal": reply.refusal}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.calls:
        message["tool_calls"] = [_call(call) for call in reply.calls]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reply.finish}
    return {
        **_head("chat.completion", model, conversation),
        "choices": [choice],
        "usage": _usage(reply, conversation),
    }


def chunks(
    reply: Reply, model: str, conversation: Conversation, include_usage: bool
) -> Iterator[str]:
    """Return a reply as server-sent events, each a piece of it, and the end mark."""
    head = _head("chat.completion.chunk", model, conversation)
    for delta in _deltas(reply):
        yield _event({**head, "choices": [_piece(delta)]})
    yield _event({**head, "choices": [_piece({}, reply.finish)]})
    if include_usage:
        yield _event({**head, "choices": [], "usage": _usage(reply, conversation)})
    yield "data: [DONE]\n\n"


def error(message: str, kind: str, code: str | None = None) -> dict[str, Any]:
    """Return an error."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _head(kind: str, model: str, conversation: Conversation) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{conversation.now.digest[:24]}",
        "object": kind,
        "created": int(time.time()),
        "model": model,
    }


def _usage(reply: Reply, conversation: Conversation) -> dict[str, int]:
    read = estimated_tokens(conversation.characters)
    written = estimated_tokens(reply.characters)
    return {
        "prompt_tokens": read,
        "completion_tokens": written,
        "total_tokens": read + written,
    }


def _call(call: WireCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _deltas(reply: Reply) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    for name, text in (
        ("reasoning_content", reply.reasoning),
        ("content", reply.text),
        ("refusal", reply.refusal),
    ):
        for piece in _cut(text):
            yield {name: piece}
    for index, call in enumerate(reply.calls):
        opened = _call(WireCall(call.id, call.name, ""))
        yield {"tool_calls": [{"index": index, **opened}]}
        for piece in _cut(call.arguments):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _cut(text: str) -> Iterator[str]:
    return (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))


def _piece(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}


def _event(content: dict[str, Any]) -> str:
    return f"data: {json.dumps(content, ensure_ascii=False)}\n\n"
