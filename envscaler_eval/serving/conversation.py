"""A chat-completions request, read as what a policy has seen."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from envscaler_eval.policies import View
from envscaler_eval.world import ToolSpec

# How results of emulated calls come back: from Inspect's providers, and in Qwen's template.
_EMULATED_RESULT = re.compile(
    r"The '[^']*' function was called\. The results are:\n\n(?P<inspect>.*)"
    r"|<tool_response>\n?(?P<qwen>.*?)\n?</tool_response>",
    re.DOTALL,
)
_EMULATED_CALL = re.compile(r"<tool_call>.*?</tool_call>", re.DOTALL)
_REASONING = re.compile(r"<think[^>]*>.*?</think>", re.DOTALL)
_EMULATED_TOOLS = re.compile(r"<tools>(.*?)</tools>", re.DOTALL)


class BadRequest(ValueError):
    """A request that cannot be answered; the text says why."""


@dataclass(frozen=True)
class Message:
    """A message of a conversation.

    Attributes:
        role: Who says it.
        text: What is said.
        calls: How many calls it makes.
        key: All of it that a client keeps from request to request.
    """

    role: str
    text: str
    calls: int
    key: str


@dataclass(frozen=True)
class Moment:
    """A conversation up to a reply.

    Attributes:
        digest: Of all messages up to the reply.
        heard: What the other side has said, oldest first.
        observations: What tool calls gave, oldest first.
        kept: The reply, where it is part of the conversation already.
    """

    digest: str
    heard: Sequence[str]
    observations: Sequence[str]
    kept: Message | None

    def view(self, step: int) -> View:
        """Return what a policy sees that has taken so many turns."""
        return View(step, self.heard, self.observations)


@dataclass(frozen=True)
class Conversation:
    """What a request tells.

    Attributes:
        messages: The messages, oldest first.
        tools: The tools on offer, in their own field or in the prompt.
        native: Whether they have a field of their own.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    native: bool

    @property
    def prompt(self) -> str:
        """What the system messages say."""
        return "\n".join(m.text for m in self.messages if m.role in {"system", "developer"})

    @property
    def characters(self) -> int:
        """How many characters a model reads."""
        offered = sum(len(t.name) + len(t.description) + len(str(t.parameters)) for t in self.tools)
        return sum(len(message.key) for message in self.messages) + offered * self.native

    @cached_property
    def moments(self) -> tuple[Moment, ...]:
        """The moments before each reply, the one that is asked for last."""
        return tuple(self._moments())

    @property
    def now(self) -> Moment:
        """The moment before the reply that is asked for."""
        return self.moments[-1]

    def _moments(self) -> Iterator[Moment]:
        digest = hashlib.sha256()
        heard: list[str] = []
        observations: list[str] = []
        for message in self.messages:
            if message.role == "assistant":
                yield Moment(digest.hexdigest(), heard[:], observations[:], message)
            elif message.role == "tool":
                observations.append(message.text)
            elif message.role == "user":
                results = [] if self.native else _emulated_results(message.text)
                observations += results
                heard += [] if results else [message.text]
            digest.update(message.key.encode())
        yield Moment(digest.hexdigest(), heard, observations, None)


def read_conversation(body: Mapping[str, Any]) -> Conversation:
    """Read the body of a chat-completions request.

    Raises:
        BadRequest: It is none.
    """
    given = body.get("messages")
    if not isinstance(given, list) or not given:
        raise BadRequest("'messages' must be a list with at least one message")
    messages = tuple(_message(entry) for entry in given)
    offered = body.get("tools")
    if offered:
        tools = tuple(_tool(entry) for entry in offered)
    else:
        tools = tuple(_prompted_tools("\n".join(m.text for m in messages if m.role == "system")))
    return Conversation(messages, tools, native=bool(offered))


def _message(entry: Any) -> Message:
    if not isinstance(entry, dict) or not isinstance(entry.get("role"), str):
        raise BadRequest("each message must be an object with a role")
    text = _text(entry.get("content"))
    calls = entry.get("tool_calls") or []
    called = [call.get("function") for call in calls if isinstance(call, dict)]
    # Reasoning is left out: clients drop it from some requests and keep it in others.
    said = _REASONING.sub("", text).strip()
    key = json.dumps([entry["role"], said, called, entry.get("tool_call_id")], sort_keys=True)
    return Message(entry["role"], text, len(called) or len(_EMULATED_CALL.findall(text)), key)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if not isinstance(content, list):
        raise BadRequest("a message's content must be text or a list of parts")
    parts = (part for part in content if isinstance(part, dict))
    return "\n".join(str(part.get("text") or part.get("refusal") or "") for part in parts)


def _tool(entry: Any) -> ToolSpec:
    function = entry.get("function") if isinstance(entry, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise BadRequest("each tool must be an object with a function that has a name")
    parameters = function.get("parameters") or {}
    return ToolSpec(
        name=function["name"],
        description=str(function.get("description") or ""),
        parameters={"type": "object", "properties": {}, **parameters},
    )


def _prompted_tools(prompt: str) -> Iterator[ToolSpec]:
    """Read the tools that a prompt describes in JSON between tags, as Qwen and Llama have it."""
    decoder = json.JSONDecoder()
    for block in _EMULATED_TOOLS.findall(prompt):
        rest = block.strip()
        while rest.startswith("{"):
            try:
                entry, end = decoder.raw_decode(rest)
            except ValueError:
                break
            yield _tool(entry if "function" in entry else {"function": entry})
            rest = rest[end:].strip()


def _emulated_results(text: str) -> list[str]:
    return [found["inspect"] or found["qwen"] or "" for found in _EMULATED_RESULT.finditer(text)]
