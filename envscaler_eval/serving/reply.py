"""What a served model says, before it is put on the wire."""

import json
from dataclasses import dataclass, replace
from typing import Literal

from envscaler_eval.policies import Turn
from envscaler_eval.scenario import ToolCall
from envscaler_eval.serving.faults import ContentFault

_BESIDE = "Let me see to that."
_REFUSES = "I'm sorry, but I can't help with that."
_REASONS = "What was asked and what I have seen so far leave one next step."
_CUT = "Before I go on, I will first look at what there is and then"


@dataclass(frozen=True)
class WireCall:
    """A call as it stands in a reply.

    Attributes:
        id: Its id, unique in the conversation.
        name: The tool.
        arguments: JSON text, or what was to be it.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Reply:
    """A reply.

    Attributes:
        text: What it says.
        calls: What it calls, in order.
        reasoning: What it thought.
        refusal: How it refuses.
        finish: Why it ends.
    """

    text: str = ""
    calls: tuple[WireCall, ...] = ()
    reasoning: str = ""
    refusal: str = ""
    finish: Literal["stop", "tool_calls", "length"] = "stop"

    @property
    def characters(self) -> int:
        """How many characters were generated."""
        called = sum(len(call.name) + len(call.arguments) for call in self.calls)
        return len(self.text) + len(self.reasoning) + len(self.refusal) + called


def reply_of(turn: Turn, fault: ContentFault | None, number: int, native: bool) -> Reply:
    """Return the reply that takes a policy's turn, with what is wrong with it.

    Args:
        turn: The turn.
        fault: What is wrong.
        number: The reply's position in the conversation, from 0.
        native: Whether calls have a field of their own. Otherwise they stand in
            the text, as providers emulate tool calling.
    """
    match fault:
        case "empty_reply":
            return Reply()
        case "refusal":
            return Reply(refusal=_REFUSES)
        case "truncated":
            return Reply(text=_CUT, finish="length")
        case "text_beside_calls":
            turn = replace(turn, text=_BESIDE)
        case "unknown_tool":
            turn = replace(turn, calls=tuple(_misnamed(call) for call in turn.calls))
    reply = _native(turn, fault, number) if native else _emulated(turn, fault)
    return replace(reply, reasoning=_REASONS) if fault == "reasoning" else reply


def _native(turn: Turn, fault: ContentFault | None, number: int) -> Reply:
    calls = tuple(
        WireCall(f"call_{number}_{position}", call.name, _spoilt(_json(call.arguments), fault))
        for position, call in enumerate(turn.calls)
    )
    return Reply(turn.text, calls, finish="tool_calls" if calls else "stop")


def _emulated(turn: Turn, fault: ContentFault | None) -> Reply:
    calls = (
        _spoilt(_json({"name": call.name, "arguments": call.arguments}), fault)
        for call in turn.calls
    )
    tagged = [f"<tool_call>\n{call}\n</tool_call>" for call in calls]
    return Reply("\n\n".join(filter(None, [turn.text, *tagged])))


def _spoilt(arguments: str, fault: ContentFault | None) -> str:
    match fault:
        case "malformed_arguments":
            return arguments[:-1]
        case "stray_quotes":
            # As vLLM ends arguments that it streams: an object, then an empty string.
            return arguments + '""'
        case _:
            return arguments


def _misnamed(call: ToolCall) -> ToolCall:
    return ToolCall(name=f"{call.name}_v2", arguments=call.arguments)


def _json(content: object) -> str:
    return json.dumps(content, ensure_ascii=False)
