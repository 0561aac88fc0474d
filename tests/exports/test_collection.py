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


def _files(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_a_collection_of_another_model_stays_as_it_is(tmp_path: Path) -> None:
    envs = ("--mode", "non_conv", "--envs", write_pack(tmp_path), "--out", tmp_path / "col")
    assert _command("collect", "--model", "policy/oracle", *envs).exit_code == 0
    before = _files(tmp_path / "col")
    ended = _command("collect", "--model", "policy/noop", "--min-reward", 0.5, *envs)
    assert isinstance(ended.exception, UsageError)
    assert "col: holds a collection of another model" in ended.exception.message
    assert _files(tmp_path / "col") == before


def test_a_collection_that_goes_on_takes_the_new_filter(tmp_path: Path) -> None:
    envs = ("--mode", "non_conv", "--envs", write_pack(tmp_path), "--out", tmp_path / "col")
    assert _command("collect", "--model", "policy/oracle", *envs).exit_code == 0
    ended = _command("collect", "--model", "policy/oracle", "--min-reward", 0.5, *envs)
    assert ended.exit_code == 0, ended.output
    assert collected_filter(tmp_path / "col").min_reward == 0.5


def test_a_model_that_never_comes_to_an_episode_is_told_with_the_reason(tmp_path: Path) -> None:
    envs = ("--mode", "non_conv", "--envs", write_pack(tmp_path), "--out", tmp_path / "col")
    ended = _command("collect", "--model", "policy/nope", *envs)
    assert isinstance(ended.exception, UsageError)
    assert "no attempt came to an episode: " in ended.exception.message
    assert "there is no policy/nope for this task" in ended.exception.message
    assert "\n" not in ended.exception.message


def test_where_none_is_kept_no_export_is_proposed(tmp_path: Path) -> None:
    envs = ("--mode", "non_conv", "--envs", write_pack(tmp_path), "--out", tmp_path / "col")
    ended = _command("collect", "--model", "policy/noop", *envs)
    assert ended.exit_code == 0, ended.output
    assert "None is kept" in ended.stdout
    assert "Write them with" not in ended.stdout


@pytest.mark.parametrize(
    ("models", "told"),
    [
        (("--model", "nobody/x"), "model 'nobody/x': Model API nobody"),
        (("--model", "openai/gpt-4.1"), "OPENAI_API_KEY"),
        (("--model", "policy/oracle", "--user-model", "nobody/x"), "model 'nobody/x': "),
    ],
)
def test_a_model_that_cannot_be_had_is_told_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, models: tuple[str, ...], told: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    mode = "both" if "--user-model" in models else "non_conv"
    envs = ("--mode", mode, "--envs", write_pack(tmp_path), "--out", tmp_path / "col")
    ended = _command("collect", *models, *envs)
    assert isinstance(ended.exception, UsageError)
    assert told in ended.exception.message
    assert "\n" not in ended.exception.message
    assert not (tmp_path / "col").exists()


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("no folder")
    envs = ("--mode", "non_conv", "--envs", write_pack(tmp_path), "--out", tmp_path / "note.txt")
    ended = _command("collect", "--model", "policy/oracle", *envs)
    assert isinstance(ended.exception, UsageError)
    assert "note.txt: cannot be written: File exists" in ended.exception.message
