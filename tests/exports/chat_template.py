"""A chat template like Qwen's, as trainers render it, and the way back."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2.sandbox import ImmutableSandboxedEnvironment

Call = tuple[str, dict[str, Any]]

_TURN = re.compile(r"<\|im_start\|>assistant\n(.*?)<\|im_end\|>\n", re.DOTALL)
_CALL = re.compile(r"<tool_call>\n(.*?)\n</tool_call>", re.DOTALL)
_THOUGHT = re.compile(r"<think>\n(.*?)\n</think>\n\n", re.DOTALL)


def render(messages: Sequence[Mapping[str, Any]], tools: str) -> str:
    """Write a conversation down as `transformers` does with a template."""
    templates = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    templates.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    text = Path(__file__).with_name("qwen_like.jinja").read_text(encoding="utf-8")
    return templates.from_string(text).render(messages=messages, tools=json.loads(tools))


def parsed_calls(rendered: str) -> list[list[Call]]:
    """Return the calls of each turn of the assistant."""
    turns = []
    for turn in _TURN.findall(rendered):
        found = [json.loads(text) for text in _CALL.findall(turn)]
        turns.append([(call["name"], call["arguments"]) for call in found])
    return turns


def parsed_thoughts(rendered: str) -> list[str]:
    """Return the reasoning of each turn of the assistant, empty where there is none."""
    return ["".join(_THOUGHT.findall(turn)) for turn in _TURN.findall(rendered)]
