"""A teacher plays training environments; what is worth it goes on to the export."""

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import list_eval_logs
from inspect_ai.scorer import exact
from typer.testing import CliRunner

from envscaler_eval.cli.app import app
from envscaler_eval.errors import UsageError
from envscaler_eval.exports.collection import CollectChoices, collect, collected_filter
from envscaler_eval.exports.trajectories import TrajectoryLogs
from envscaler_eval.exports.trajectory_filter import TrajectoryFilter
from envscaler_eval.pack import read_pack
from tests.exports.attempts import HALF_DONE
from tests.inspect_runs import model, say
from tests.loaded import rows, use_own_cache
from tests.pack_files import write_pack


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_own_cache(monkeypatch, tmp_path)


def _command(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_the_command_collects_and_the_export_takes_what_was_kept(tmp_path: Path) -> None:
    pack = write_pack(tmp_path)
    teacher = ("--model", "policy/oracle", "--user-model", "policy/user", "--trials", 2)
    ended = _command("collect", *teacher, "--envs", pack, "--out", tmp_path / "col")
    assert ended.exit_code == 0, ended.output
    assert [line.split() for line in ended.stdout.splitlines() if "kept" in line] == [
        ["kept", "2", "2"]
    ]
    ended = _command("export", "sft", tmp_path / "col", "--out", tmp_path / "sft")
    assert ended.exit_code == 0, ended.output
    found = rows(tmp_path / "sft")
    assert sorted((row["mode"], row["trial"]) for row in found) == [
        ("conv", 1),
        ("conv", 2),
        ("non_conv", 1),
        ("non_conv", 2),
    ]


def test_a_collection_brings_its_filter_and_the_export_may_have_another(tmp_path: Path) -> None:
    packs = [read_pack(write_pack(tmp_path))]
    choices = CollectChoices(mode="non_conv")
    lenient = TrajectoryFilter(min_reward=0.5)
    counts = collect(packs, model(*HALF_DONE), None, tmp_path / "col", lenient, choices)
    assert counts.rows() == [("kept", 1, 0)]
    ended = _command("export", "sft", tmp_path / "col", "--out", tmp_path / "sft")
    assert ended.exit_code == 0, ended.output
    ended = _command(
        "export", "sft", tmp_path / "col", "--min-reward", 0.75, "--out", tmp_path / "strict"
    )
    assert isinstance(ended.exception, UsageError)
    assert "reward below 0.75: 1" in ended.exception.message


def test_what_was_collected_is_not_collected_again(tmp_path: Path) -> None:
    packs = [read_pack(write_pack(tmp_path))]
    choices = CollectChoices(mode="non_conv")
    for _ in range(2):
        counts = collect(
            packs, "policy/oracle", None, tmp_path / "col", TrajectoryFilter(), choices
        )
        assert counts.rows() == [("kept", 1, 0)]
    assert len(list_eval_logs(str(tmp_path / "col"))) == 1


def test_a_fault_of_the_provider_costs_its_own_attempt_only(tmp_path: Path) -> None:
    def sometimes(messages: Any) -> Any:
        if "bolts" in messages[1].text:
            raise RuntimeError("the provider is down")
        return say("Task Completed")

    scenarios = [
        {"id": "one", "state": {}, "now": "2026-03-09T08:30:00", "task": "Take bolts."},
        {"id": "two", "state": {}, "now": "2026-03-09T08:30:00", "task": "Take nuts."},
    ]
    packs = [read_pack(write_pack(tmp_path, scenarios=scenarios))]
    choices = CollectChoices(mode="non_conv")
    counts = collect(packs, model(sometimes), None, tmp_path / "col", TrajectoryFilter(), choices)
    assert counts.rows() == [("kept", 1, 0), ("error, no episode", 1, 0)]


def test_environments_to_test_on_are_not_collected(tmp_path: Path) -> None:
    pack = write_pack(tmp_path, "exam", split="test")
    ended = _command("collect", "--model", "policy/oracle", "--envs", pack, "-o", tmp_path / "col")
    assert isinstance(ended.exception, UsageError)
    assert ended.exception.message.startswith("exam: to test on, and never to train on")
    assert not (tmp_path / "col").exists()


def test_a_conversation_needs_a_user(tmp_path: Path) -> None:
    pack = write_pack(tmp_path)
    ended = _command("collect", "--model", "policy/oracle", "--envs", pack, "-o", tmp_path / "col")
    assert isinstance(ended.exception, UsageError)
    assert "add --user-model MODEL or --mode non_conv" in ended.exception.message


@pytest.mark.parametrize("turns", ["3", "a:b", "5:3", "1:2,3:4,5:6"])
def test_a_range_that_is_none_is_refused(tmp_path: Path, turns: str) -> None:
    ended = _command("export", "sft", tmp_path, "--turns", turns, "--out", tmp_path / "sft")
    assert isinstance(ended.exception, UsageError)
    assert f"--turns is '{turns}'; write 3:29" in ended.exception.message


def test_a_filter_that_was_written_to_is_refused(tmp_path: Path) -> None:
    (tmp_path / "filter.json").write_text(json.dumps({"min_reward": 7}))
    with pytest.raises(UsageError, match=r"filter.json: min_reward: .*; collect again"):
        collected_filter(tmp_path)


@task
def _arithmetic() -> Task:
    return Task(dataset=[Sample(input="1 + 1", target="2")], scorer=exact(), name="arithmetic")


def test_logs_of_other_tasks_are_refused(tmp_path: Path) -> None:
    inspect_eval(_arithmetic(), model="mockllm/model", log_dir=str(tmp_path))
    with pytest.raises(UsageError, match=r"is of the task .*arithmetic, a benchmark or one of"):
        TrajectoryLogs([tmp_path])
