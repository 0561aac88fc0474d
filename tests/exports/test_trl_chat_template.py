"""The training run's chat template writes exports and Inspect's messages down alike."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers")

from transformers.utils.chat_template_utils import render_jinja_template

TEMPLATE = Path(__file__).parents[2] / "perf" / "training_run" / "chat_template.jinja"
PARAMETERS = {"type": "object", "properties": {"key_id": {"type": "string"}}}
TOOL = {"name": "take_back_key", "description": "Hang a key back.", "parameters": PARAMETERS}


def _rendered(call: dict[str, Any], tool: dict[str, Any]) -> tuple[str, str]:
    """Return a conversation with a call, and what of it is trained."""
    messages = [
        {"role": "system", "content": "A cabinet."},
        {"role": "user", "content": "K-1 is back."},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": '{"success": true}'},
        {"role": "assistant", "content": "Task Completed"},
    ]
    (text,), (spans,) = render_jinja_template(
        conversations=[messages],
        tools=[tool],
        chat_template=TEMPLATE.read_text(encoding="utf-8"),
        return_assistant_tokens_mask=True,
    )
    return text, "".join(text[start:end] for start, end in spans)


def test_both_forms_of_calls_and_tools_give_one_text_of_which_the_turns_are_trained() -> None:
    arguments = {"key_id": "K-1"}
    exported = _rendered(
        {"type": "function", "function": {"name": "take_back_key", "arguments": arguments}},
        {"type": "function", "function": TOOL},
    )
    from_inspect = _rendered({"function": "take_back_key", "arguments": arguments}, TOOL)
    assert exported == from_inspect
    text, trained = exported
    assert "- take_back_key(key_id): Hang a key back." in text
    assert trained == (
        '<tool_call>{"name": "take_back_key", "arguments": {"key_id": "K-1"}}</tool_call>'
        "<|im_end|>\nTask Completed<|im_end|>\n"
    )
