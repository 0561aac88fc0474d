"""Logs become conversations that trainers take."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import ChatMessageTool
from inspect_ai.tool import ToolCallError

from envscaler_eval.errors import UsageError
from envscaler_eval.exports.conversation import conversation
from envscaler_eval.pack import LIBRARY, read_pack
from envscaler_eval.results.manifest import read_manifest, write_manifest
from tests.exports.attempts import HALF_DONE, WELL_DONE, a_log, contents, export
from tests.exports.chat_template import parsed_calls, parsed_thoughts, render
from tests.inspect_runs import run
from tests.loaded import rows, use_own_cache
from tests.pack_files import a_scenario

CALLS = [
    [("list_items", {})],
    [
        ("take_item", {"item_id": "I-1", "quantity": 3}),
        ("order_item", {"item_id": "I-2", "priority": "high"}),
    ],
    [],
]
THOUGHTS = ["First I look.", "Both at once: 3 < 10 & 'nuts'.", "That is all."]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_own_cache(monkeypatch, tmp_path)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of attempts that go well, also at environments to test on."""
    packs: dict[str, dict[str, Any]] = {
        "stock_room": {},
        "alpha": {"split": "test"},
        "beta": {"split": "test"},
        "grant_office": {"split": "train"},
        "bare": {"scenarios": [a_scenario(checks=None)]},
    }
    return a_log(tmp_path_factory.mktemp("well_done"), packs=packs)


@pytest.fixture(scope="module")
def half_done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of an attempt that does half of the work."""
    return a_log(tmp_path_factory.mktemp("half_done"), *HALF_DONE)


ROOM = ("stock_room",)


@pytest.mark.parametrize("table", ["parquet", "jsonl"])
def test_a_trajectory_is_a_row_with_its_outcome(logs: Path, tmp_path: Path, table: Any) -> None:
    counts = export(tmp_path / "sft", logs, envs=ROOM, table=table)
    assert counts.rows() == [("kept", 1, 0)]
    (row,) = rows(tmp_path / "sft")
    outcome = {name: row[name] for name in row if name not in ("messages", "tools")}
    assert outcome == {
        "reward": 1.0,
        "success": 1.0,
        "paper_reward": 1.0,
        "env": "stock_room",
        "scenario": "restock",
        "mode": "non_conv",
        "split": "train",
        "model": "mockllm/model",
        "trial": 1,
        "ended_by": "completed",
        "steps": 3,
    }
    assert [role for role, _ in contents(row["messages"])] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    assert row["messages"][1]["content"] == a_scenario()["task"]
    assert row["messages"][2]["content"] == "Let me see."
    assert row["messages"][2]["reasoning_content"] == "First I look."
    assert row["messages"][3]["name"] == "list_items"
    assert row["messages"][3]["tool_call_id"] == row["messages"][2]["tool_calls"][0]["id"]
    assert json.loads(row["messages"][5]["content"]) == {"success": True, "left": 7}


def test_what_is_exported_again_to_the_same_folder_is_loaded_anew(
    logs: Path, half_done: Path, tmp_path: Path
) -> None:
    export(tmp_path / "sft", logs, envs=ROOM)
    assert [row["reward"] for row in rows(tmp_path / "sft")] == [1.0]
    shutil.rmtree(tmp_path / "sft")
    export(tmp_path / "sft", half_done, envs=ROOM, wanted={"min_reward": 0})
    (again,) = rows(tmp_path / "sft")
    assert again["reward"] < 1


@pytest.mark.parametrize("table", ["parquet", "jsonl"])
def test_a_chat_template_writes_down_what_was_called_and_thought(
    logs: Path, tmp_path: Path, table: Any
) -> None:
    export(tmp_path / "sft", logs, envs=ROOM, table=table)
    (row,) = rows(tmp_path / "sft")
    rendered = render(row["messages"], row["tools"])
    assert parsed_calls(rendered) == CALLS
    assert parsed_thoughts(rendered) == THOUGHTS


def test_the_tools_are_those_of_the_pack(logs: Path, tmp_path: Path) -> None:
    export(tmp_path / "sft", logs, envs=ROOM)
    (row,) = rows(tmp_path / "sft")
    tools = {tool["function"]["name"]: tool["function"] for tool in json.loads(row["tools"])}
    assert list(tools) == ["list_items", "take_item", "order_item", "break_down"]
    assert tools["take_item"]["description"] == "Take pieces of an item out of the stock."
    schema = tools["order_item"]["parameters"]
    assert schema["properties"]["priority"]["enum"] == ["low", "high"]
    assert schema["required"] == ["item_id"]


def test_the_calls_of_a_solution_survive_the_way_through_a_template(
    tmp_path: Path,
) -> None:
    env = "hotel_operations"
    run(env, "policy/oracle", tmp_path / "logs", "policy/user", mode="both", scenarios_per_env=1)
    assert export(tmp_path / "sft", tmp_path / "logs").rows() == [("kept", 1, 1)]
    pack = read_pack(LIBRARY / env)
    for row in rows(tmp_path / "sft"):
        turns = parsed_calls(render(row["messages"], row["tools"]))
        made = [call for turn in turns for call in turn]
        solution = pack.scenario(row["scenario"]).solution
        assert made == [(call.name, call.arguments) for call in solution]


def test_a_failed_call_is_told_as_providers_tell_it() -> None:
    error = ToolCallError("parsing", "no JSON")
    message = ChatMessageTool(content="", tool_call_id="c", function="take_item", error=error)
    assert conversation([message]) == [
        {"role": "tool", "content": "Error: no JSON", "tool_call_id": "c", "name": "take_item"}
    ]


def test_only_what_the_filter_keeps_is_written(logs: Path, half_done: Path, tmp_path: Path) -> None:
    counts = export(tmp_path / "sft", logs, half_done, envs=ROOM)
    assert counts.rows() == [("kept", 1, 0), ("reward below 1", 1, 0)]
    assert [row["reward"] for row in rows(tmp_path / "sft")] == [1.0]
    export(tmp_path / "more", logs, half_done, envs=ROOM, wanted={"min_reward": 0.5})
    assert [row["reward"] for row in rows(tmp_path / "more")] == [1.0, 0.5]


def test_an_ungraded_trajectory_has_no_reward(logs: Path, tmp_path: Path) -> None:
    export(tmp_path / "sft", logs, envs=("bare",))
    (row,) = rows(tmp_path / "sft")
    assert row["reward"] is row["success"] is row["paper_reward"] is None


def test_modes_are_chosen(tmp_path: Path) -> None:
    log = a_log(tmp_path, *WELL_DONE, user="policy/user", mode="both")
    export(tmp_path / "both", log)
    assert [row["mode"] for row in rows(tmp_path / "both")] == ["non_conv", "conv"]
    export(tmp_path / "conv", log, mode="conv")
    (row,) = rows(tmp_path / "conv")
    assert row["mode"] == "conv"
    assert row["ended_by"] == "user_stop"


def test_environments_to_test_on_are_refused_by_name(logs: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^alpha, beta, grant_office: to test on, and never"):
        export(tmp_path / "sft", logs)
    assert not (tmp_path / "sft").exists()
    with pytest.raises(UsageError, match=r"^alpha: to test on"):
        export(tmp_path / "sft", logs, envs=("alpha", "stock_room"))
    export(tmp_path / "sft", logs, envs=ROOM)
    assert [row["env"] for row in rows(tmp_path / "sft")] == ["stock_room"]


def test_a_test_environment_of_the_library_is_known_whatever_the_log_says(
    logs: Path, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=r"^grant_office: to test on"):
        export(tmp_path / "sft", logs, envs=("grant_office",))


def test_a_manifest_chooses_environments_and_holds_them_to_their_hash(
    logs: Path, tmp_path: Path
) -> None:
    pack = read_pack(logs.parent / "packs" / "stock_room")
    write_manifest(tmp_path / "set.yaml", "scaling", [pack], {})
    manifest = read_manifest(tmp_path / "set.yaml")
    export(tmp_path / "sft", logs, manifest=manifest)
    assert [row["env"] for row in rows(tmp_path / "sft")] == ["stock_room"]
    (chosen,) = manifest.environments
    changed = manifest.model_copy(
        update={"environments": (chosen.model_copy(update={"hash": "0" * 64}),)}
    )
    with pytest.raises(UsageError, match=r"'stock_room' was played with .* has 000000000000"):
        export(tmp_path / "again", logs, manifest=changed)
    assert not (tmp_path / "again").exists()


def test_when_no_trajectory_is_left_nothing_is_written(half_done: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no trajectory is left of 1: reward below 1: 1"):
        export(tmp_path / "sft", half_done)
    with pytest.raises(UsageError, match="no trajectory is left of 0"):
        export(tmp_path / "sft", half_done, mode="conv")
    assert list(tmp_path.iterdir()) == []


def test_an_environment_that_no_log_holds_is_a_mistake(logs: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="atlantis: no log holds this environment"):
        export(tmp_path / "sft", logs, envs=("atlantis",))
