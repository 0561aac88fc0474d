"""Trajectories as EnvScaler trains on them: a sample a turn, for LLaMA-Factory.

Of n turns of the assistant n samples are made. Each holds what went before
without the assistant's earlier reasoning, which Qwen3 does not get to see either,
and trains the last turn alone (EnvScaler, `sft/step2_process_llamafactory_format.py`,
with `mask_history`).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from envscaler_eval.exports.conversation import Message

Form = Literal["alpaca", "sharegpt"]

DATASET = "envscaler_sft"
"""The data set's name in `dataset_info.json`."""

# Qwen3's chat template, as text: LLaMA-Factory's alpaca form knows no tools.
_TOOLS_BEFORE = (
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
)
_TOOLS_AFTER = (
    "</tools>\n\nFor each function call, return a json object with function name and arguments "
    "within <tool_call></tool_call> XML tags:\n<tool_call>\n"
    '{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'
)

Turn = tuple[list[Message], Message]
"""What the assistant was told since its last turn, and what it answered."""


def alternates(messages: Sequence[Message]) -> bool:
    """Whether each turn of the assistant follows something said to it.

    Both forms ask for that. What follows the last turn is of no use to them.
    """
    return all(said for said, _ in _turns(messages))


def dataset_info(file: str, form: Form) -> dict[str, Any]:
    """Return LLaMA-Factory's description of a data set.

    Args:
        file: The data set's file.
        form: Its form.
    """
    if form == "alpaca":
        columns = {
            "prompt": "instruction",
            "query": "input",
            "response": "output",
            "system": "system",
            "history": "history",
        }
        return {DATASET: {"file_name": file, "columns": columns}}
    columns = {"messages": "conversations", "system": "system", "tools": "tools"}
    return {DATASET: {"file_name": file, "formatting": "sharegpt", "columns": columns}}


def samples(messages: Sequence[Message], tools: str, form: Form) -> Iterator[dict[str, Any]]:
    """Yield a sample for each turn of the assistant.

    Args:
        messages: The conversation; it alternates.
        tools: The tools, as JSON.
        form: `alpaca` holds calls, results and tools as the text of Qwen3's chat
            template, `sharegpt` as messages of their own for LLaMA-Factory to put
            into any template. There, what is said beside a call has no place.
    """
    system = "\n\n".join(m["content"] for m in messages if m["role"] == "system")
    turns = list(_turns(messages))
    make = _alpaca if form == "alpaca" else _sharegpt
    for number in range(1, len(turns) + 1):
        yield {**make(system, turns[:number], tools), "turn": number}


def _turns(messages: Sequence[Message]) -> Iterator[Turn]:
    said: list[Message] = []
    for message in messages:
        if message["role"] == "assistant":
            yield said, message
            said = []
        elif message["role"] != "system":
            said.append(message)


def _alpaca(system: str, turns: Sequence[Turn], tools: str) -> dict[str, Any]:
    listed = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in json.loads(tools))
    said, answer = turns[-1]
    return {
        "instruction": _as_text(said),
        "input": "",
        "output": _thought(answer) + _spoken(answer),
        "system": f"{system}\n\n{_TOOLS_BEFORE}\n{listed}\n{_TOOLS_AFTER}",
        "history": [[_as_text(before), _spoken(reply)] for before, reply in turns[:-1]],
    }


def _sharegpt(system: str, turns: Sequence[Turn], tools: str) -> dict[str, Any]:
    conversations: list[dict[str, str]] = []
    for number, (said, answer) in enumerate(turns, start=1):
        results = [m["content"] for m in said if m["role"] == "tool"]
        spoken = [m["content"] for m in said if m["role"] != "tool"]
        conversations.append(
            {
                "from": "observation" if results else "human",
                "value": "\n</tool_response>\n<tool_response>\n".join(results)
                if results and not spoken
                else "\n".join([*results, *spoken]),
            }
        )
        thought = _thought(answer) if number == len(turns) else ""
        calls = [call["function"] for call in answer.get("tool_calls", ())]
        told = calls[0] if len(calls) == 1 else calls
        conversations.append(
            {"from": "function_call", "value": thought + json.dumps(told, ensure_ascii=False)}
            if calls
            else {"from": "gpt", "value": thought + answer["content"]}
        )
    return {"conversations": conversations, "system": system, "tools": tools}


def _as_text(said: Sequence[Message]) -> str:
    return "\n".join(
        f"<tool_response>\n{message['content']}\n</tool_response>"
        if message["role"] == "tool"
        else message["content"]
        for message in said
    )


def _thought(answer: Message) -> str:
    thought = str(answer.get("reasoning_content", "")).strip("\n")
    return f"<think>\n{thought}\n</think>\n\n" if thought else ""


def _spoken(answer: Message) -> str:
    calls = [_call_text(call["function"]) for call in answer.get("tool_calls", ())]
    return "\n".join([*([answer["content"]] if answer["content"] else []), *calls])


def _call_text(function: Mapping[str, Any]) -> str:
    arguments = json.dumps(function["arguments"], ensure_ascii=False)
    name = json.dumps(function["name"], ensure_ascii=False)
    return f'<tool_call>\n{{"name": {name}, "arguments": {arguments}}}\n</tool_call>'
