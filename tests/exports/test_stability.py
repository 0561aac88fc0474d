"""How steady rewards are, and the curriculum that follows from it."""

import json
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import pytest
from inspect_ai.model import ChatMessage, ModelOutput

from envscaler_eval.errors import UsageError
from envscaler_eval.exports.rl import RlSettings
from envscaler_eval.exports.rl.curriculum import choose
from envscaler_eval.exports.stability import SampleStability, Stability, read_stability
from tests.cli.commands import Command
from tests.inspect_runs import ORDER, TAKE, model, run, say
from tests.pack_files import a_scenario, write_pack

TASKS = {"always": "Take three bolts.", "never": "Order nuts.", "sometimes": "Do as you like."}
ALWAYS, NEVER, SOMETIMES = (f"stock_room/{name}:non_conv" for name in TASKS)


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pack with three scenarios."""
    scenarios = [a_scenario(id=name, task=task) for name, task in TASKS.items()]
    return write_pack(tmp_path_factory.mktemp("packs"), scenarios=scenarios)


@pytest.fixture(scope="module")
def logs(pack: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four runs of each by a model that always, never and every other time succeeds."""
    tries = count()

    def works(messages: Sequence[ChatMessage]) -> ModelOutput:
        task = messages[1].text
        tried = task == TASKS["always"] or (task == TASKS["sometimes"] and next(tries) % 2)
        return say("", TAKE, ORDER) if tried else say("Done")

    folder = tmp_path_factory.mktemp("logs")
    run(pack, model(works, say("Done")), folder, trials=4)
    return folder


def test_variance_and_success_are_told_for_each_sample(logs: Path) -> None:
    found = read_stability([logs])
    told = {s.sample: (s.mean, s.variance, s.success_rate) for s in found.samples}
    assert told == {ALWAYS: (1, 0, 1), NEVER: (0, 0, 0), SOMETIMES: (0.5, 0.25, 0.5)}
    assert found.zero_variance == pytest.approx(2 / 3)
    assert found.single == 0


def test_a_band_takes_its_ends_in() -> None:
    samples = tuple(
        SampleStability(str(won), (1.0,) * won + (0.0,) * (4 - won), won) for won in range(5)
    )
    assert Stability("m", samples, 0).in_band(0.25, 0.75) == ("1", "2", "3")


def test_a_group_of_partial_rewards_that_are_equal_has_no_variance() -> None:
    equal, unequal = SampleStability("a", (0.3, 0.3), 0), SampleStability("b", (0.3, 0.6), 0)
    assert Stability("m", (equal, unequal), 0).zero_variance == 0.5


def test_a_curriculum_keeps_what_the_model_sometimes_solves(pack: Path, logs: Path) -> None:
    settings, told = choose(RlSettings(envs=(str(pack),), mode="both"), "0.2:0.8", [logs])
    assert settings.samples == (SOMETIMES,)
    assert "1 of 3 samples" in told
    assert "67% of all groups" in told


@pytest.mark.parametrize(
    ("band", "told"),
    [("0.6:0.8", "nothing is left"), ("0.8:0.2", "two success rates"), ("-1:1", "such as")],
)
def test_a_band_that_is_none_or_empty_is_told(pack: Path, logs: Path, band: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        choose(RlSettings(envs=(str(pack),)), band, [logs])


def test_logs_without_repeated_runs_are_refused(pack: Path, tmp_path: Path) -> None:
    run(pack, model(say("Done")), tmp_path)
    with pytest.raises(UsageError, match="trials=4"):
        read_stability([tmp_path])


def test_logs_of_two_models_are_refused(pack: Path, logs: Path, tmp_path: Path) -> None:
    run(pack, "policy/noop", tmp_path)
    with pytest.raises(UsageError, match=r"mockllm/model, policy/noop"):
        read_stability([logs, tmp_path])


def test_the_command_shows_a_table_or_json(envscaler: Command, logs: Path) -> None:
    code, table, _ = envscaler("stability", logs)
    assert code == 0
    assert "67% of 3 groups have no variance" in table
    assert SOMETIMES in table
    content = json.loads(envscaler("stability", logs, "--json")[1])
    assert content["zero_variance_groups"] == pytest.approx(2 / 3)
    assert [s["success_rate"] for s in content["samples"]] == [1, 0, 0.5]


def test_the_export_takes_the_curriculum(
    envscaler: Command, pack: Path, logs: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    options = ("--target", "trl", "--envs", pack, "--curriculum", "0.2:0.8", "-o", out)
    code, told, _ = envscaler("export", "rl", *options, logs)
    assert code == 0
    assert "1 of 3 samples" in told
    (row,) = (out / "train.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(row)["task"] == SOMETIMES
