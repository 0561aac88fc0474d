"""EnvScaler's released trajectories become conversations to train on."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from envscaler_eval.cli.app import app
from envscaler_eval.errors import UsageError
from tests.exports.chat_template import parsed_calls, parsed_thoughts, render
from tests.loaded import rows, use_own_cache

TOOLS = [{"type": "function", "function": {"name": "set_status", "parameters": {}}}]
ARGUMENTS = {"task_id": "T1", "status": "done"}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_own_cache(monkeypatch, tmp_path)


def _messages(arguments: Any) -> list[dict[str, Any]]:
    call = {"id": "c1", "type": "function"}
    return [
        {"role": "system", "content": "Complete the task."},
        {"role": "user", "content": "Finish T1."},
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "It is there.",
            "tool_calls": [{**call, "function": {"name": "set_status", "arguments": arguments}}],
        },
        {
            "role": "tool",
            "tool_call_id": "c1",
            "name": "set_status",
            "content": "{'success': True}",
        },
        {"role": "assistant", "content": "Task Completed", "reasoning_content": "Done."},
    ]


def _trajectory(**changes: Any) -> dict[str, Any]:
    record = {
        "traj_type": "non_conversation",
        "task_info": {"env_id": "env_1_sft", "task_id": "env_1_sft-task_3", "task": "Finish T1."},
        "tools": json.dumps(TOOLS),
        "messages": json.dumps(_messages(json.dumps(ARGUMENTS))),
        "user_messages": "null",
        "steps": 2,
        **changes,
    }
    return {key: value for key, value in record.items() if value is not None}


def _import(tmp_path: Path, content: Any, *options: str) -> Any:
    file = tmp_path / "traj.json"
    file.write_text(json.dumps(content))
    arguments = ["import", "envscaler-trajectories", str(file), "--out", str(tmp_path / "sft")]
    return CliRunner().invoke(app, [*arguments, *options])


@pytest.mark.parametrize("table", ["parquet", "jsonl"])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"messages": json.dumps(_messages(ARGUMENTS))},
        {"messages": _messages(json.dumps(ARGUMENTS)), "tools": TOOLS},
        {"user_messages": None, "steps": None},
    ],
)
def test_texts_and_objects_give_the_samerows(
    tmp_path: Path, changes: dict[str, Any], table: str
) -> None:
    ended = _import(tmp_path, [_trajectory(**changes)], "--format", table)
    assert ended.exit_code == 0, ended.output
    (row,) = rows(tmp_path / "sft")
    rendered = render(row["messages"], row["tools"])
    assert parsed_calls(rendered) == [[("set_status", ARGUMENTS)], []]
    assert parsed_thoughts(rendered) == ["It is there.", "Done."]
    assert (row["env"], row["scenario"], row["mode"]) == ("env_1_sft", "task_3", "non_conv")
    assert (row["split"], row["reward"], row["steps"]) == ("train", None, 2)
    assert row["messages"][3]["tool_call_id"] == "c1"
    assert row["messages"][3]["name"] == "set_status"


def test_a_mapping_and_conversations_are_read_too(tmp_path: Path) -> None:
    talk = _trajectory(traj_type="conversation", user_messages=json.dumps([{"role": "user"}]))
    ended = _import(tmp_path, {"a": _trajectory(), "b": talk})
    assert "2 trajectories" in ended.stdout
    found = rows(tmp_path / "sft")
    assert [(row["mode"], row["ended_by"]) for row in found] == [
        ("non_conv", "completed"),
        ("conv", "user_stop"),
    ]


@pytest.mark.parametrize(
    ("faulty", "told"),
    [
        ("text", "item 2: is a str; each item must be a mapping"),
        (_trajectory(traj_type="chat"), "item 2: traj_type: is none of non_conversation"),
        (_trajectory(task_info=None), "item 2: task_info: is missing; add it"),
        (_trajectory(messages="["), "item 2: messages: is no JSON text"),
        (_trajectory(messages="[]"), "item 2: messages: hold no turn of the assistant"),
        (
            _trajectory(messages=_messages("{status: done}")),
            "item 2: messages 3: tool_calls 1: function: arguments: is no JSON text",
        ),
        (
            _trajectory(messages=[*_messages(ARGUMENTS), {"role": "judge", "content": ""}]),
            "item 2: messages 6: role: is 'judge'; use system",
        ),
    ],
)
def test_a_faulty_trajectory_is_left_out(tmp_path: Path, faulty: Any, told: str) -> None:
    ended = _import(tmp_path, [_trajectory(), faulty])
    assert ended.exit_code == 0, ended.output
    (line,) = [line for line in ended.stderr.splitlines() if line.startswith("left out")]
    assert line.startswith(f"left out: traj.json: {told}")
    assert "1 trajectories" in ended.stdout


def test_when_nothing_is_left_nothing_is_written(tmp_path: Path) -> None:
    ended = _import(tmp_path, [_trajectory(messages="[]")])
    assert isinstance(ended.exception, UsageError)
    assert not (tmp_path / "sft").exists()


def test_a_file_that_breaks_off_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "traj.json"
    file.write_text(json.dumps([_trajectory()])[:-9])
    arguments = ["import", "envscaler-trajectories", str(file), "--out", str(tmp_path / "sft")]
    ended = CliRunner().invoke(app, arguments)
    assert isinstance(ended.exception, UsageError)
    assert "is no JSON" in ended.exception.message
    assert not (tmp_path / "sft").exists()
