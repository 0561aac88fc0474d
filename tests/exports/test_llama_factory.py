"""The paper's way of training: a sample for each turn, with what was thought before left out."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.exports.conversation import conversation
from envscaler_eval.exports.llama_factory import alternates, samples
from envscaler_eval.exports.trajectories import TrajectoryLogs
from tests.cli.commands import Command
from tests.exports.attempts import a_log, export
from tests.exports.chat_template import parsed_calls, render


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of an attempt alone and one in conversation."""
    root = tmp_path_factory.mktemp("well_done")
    return a_log(root, user="policy/user", mode="both")


def _exported(logs: Path, out: Path, **choices: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    export(out, logs, style="paper", **choices)
    info = json.loads((out / "dataset_info.json").read_text())["envscaler_sft"]
    lines = (out / info["file_name"]).read_text().splitlines()
    return [json.loads(line) for line in lines], info


def _as_qwen(sample: dict[str, Any]) -> str:
    """Put an alpaca sample together as LLaMA-Factory does with the template `qwen3`."""
    pairs = [*sample["history"], [sample["instruction"], sample["output"]]]
    turns = "".join(
        f"<|im_start|>user\n{said}<|im_end|>\n<|im_start|>assistant\n{answer}<|im_end|>\n"
        for said, answer in pairs
    )
    return f"<|im_start|>system\n{sample['system']}<|im_end|>\n{turns}"


def test_each_turn_is_a_sample_that_reads_as_the_template_writes_it(
    logs: Path, tmp_path: Path
) -> None:
    written, info = _exported(logs, tmp_path / "sft")
    assert info["columns"] == {
        "prompt": "instruction",
        "query": "input",
        "response": "output",
        "system": "system",
        "history": "history",
    }
    trajectories = TrajectoryLogs([logs])
    expected = []
    for trajectory in trajectories.read():
        messages = conversation(trajectory.messages)
        for end, message in enumerate(messages, start=1):
            if message["role"] == "assistant":
                before = [
                    {k: v for k, v in m.items() if k != "reasoning_content"}
                    for m in messages[: end - 1]
                ]
                expected.append(render([*before, message], trajectories.tools(trajectory)))
    assert [_as_qwen(sample) for sample in written] == expected
    assert [sample["turn"] for sample in written] == [1, 2, 3, 1, 2, 3, 4, 5]


def test_only_the_last_turn_shows_what_was_thought(logs: Path, tmp_path: Path) -> None:
    written, _ = _exported(logs, tmp_path / "sft", mode="non_conv")
    assert [sample["turn"] for sample in written] == [1, 2, 3]
    assert [sample["output"].split("\n")[1] for sample in written] == [
        "First I look.",
        "Both at once: 3 < 10 & 'nuts'.",
        "That is all.",
    ]
    for sample in written:
        assert "<think>" not in json.dumps(sample["history"])
        assert (sample["env"], sample["scenario"]) == ("stock_room", "restock")
    assert parsed_calls(_as_qwen(written[-1])) == [
        [("list_items", {})],
        [
            ("take_item", {"item_id": "I-1", "quantity": 3}),
            ("order_item", {"item_id": "I-2", "priority": "high"}),
        ],
        [],
    ]


def test_sharegpt_keeps_calls_and_results_as_messages(logs: Path, tmp_path: Path) -> None:
    written, info = _exported(logs, tmp_path / "sft", form="sharegpt", mode="non_conv")
    assert info["formatting"] == "sharegpt"
    assert info["columns"]["messages"] == "conversations"
    last = written[-1]
    assert [part["from"] for part in last["conversations"]] == [
        "human",
        "function_call",
        "observation",
        "function_call",
        "observation",
        "gpt",
    ]
    both = json.loads(last["conversations"][3]["value"])
    assert both[1] == {"name": "order_item", "arguments": {"item_id": "I-2", "priority": "high"}}
    results = last["conversations"][4]["value"].split("\n</tool_response>\n<tool_response>\n")
    assert json.loads(results[0]) == {"success": True, "left": 7}
    assert last["conversations"][5]["value"] == "<think>\nThat is all.\n</think>\n\nTask Completed"
    first = written[0]["conversations"][-1]["value"]
    thought, call = first.split("\n</think>\n\n")
    assert thought == "<think>\nFirst I look."
    assert json.loads(call) == {"name": "list_items", "arguments": {}}
    assert json.loads(last["tools"])[0]["function"]["name"] == "list_items"
    assert last["system"].startswith("You work on a task")


@pytest.mark.parametrize("form", ["alpaca", "sharegpt"])
def test_a_turn_that_nothing_was_said_before_has_no_place_in_a_pair(form: Any) -> None:
    told = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": "a"},
    ]
    assert alternates(told)
    assert not alternates([*told, {"role": "assistant", "content": "b"}])
    (sample,) = samples([*told, {"role": "user", "content": "left over"}], "[]", form)
    assert "left over" not in json.dumps(sample)


def test_roles_in_conversation_alternate_as_both_forms_ask(logs: Path, tmp_path: Path) -> None:
    written, _ = _exported(logs, tmp_path / "sft", form="sharegpt", mode="conv")
    asks, answers = {"human", "observation"}, {"gpt", "function_call"}
    for sample in written:
        tags = [part["from"] for part in sample["conversations"]]
        assert tags[0] == "human"
        assert all((a in asks) != (b in asks) for a, b in pairwise(tags))
        assert tags[-1] in answers


def test_a_form_of_samples_is_refused_where_no_samples_are_written(
    envscaler: Command, logs: Path, tmp_path: Path
) -> None:
    code, _, told = envscaler(
        "export", "sft", logs, "--form", "sharegpt", "--out", tmp_path / "sft"
    )
    assert code == 2
    assert "--form sharegpt is a form of the paper's samples; add --style paper" in told
    assert not (tmp_path / "sft").exists()
