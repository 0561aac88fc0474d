"""Plans: what they may say, and what is told of those that are wrong."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from envscaler_eval.errors import UsageError
from envscaler_eval.sweep import SweepPlan, read_plan
from envscaler_eval.sweep.shards import shards, units
from tests.cli.commands import in_process
from tests.sweep.plans import a_plan, write_rooms

SOUND: dict[str, Any] = {"tasks": ["envscaler"], "models": ["policy/noop"]}


def written(folder: Path, content: object) -> Path:
    file = folder / "plan.yaml"
    file.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    return file


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("tasks: [", "is no YAML"),
        ("[]", "write a mapping with `tasks` and `models`"),
        ({"models": ["policy/noop"]}, "tasks: is missing; add it"),
        (SOUND | {"model": []}, "model: is no field of it; check the spelling or remove it"),
        (SOUND | {"models": []}, "models: "),
        (SOUND | {"trials": 0}, "trials: "),
        (SOUND | {"tasks": ["gsm8k"]}, "tasks 1 task: is 'gsm8k'; use one of envscaler,"),
        (
            SOUND | {"tasks": [{"task": "envscaler", "args": {"trials": 2}}]},
            "tasks 1 args: has 'trials'; give it as the plan's own key 'trials'",
        ),
        (SOUND | {"trials": "2"}, "trials: "),
        (SOUND | {"retries": True}, "retries: "),
        (SOUND | {"limits": {"policy": 0}}, "limits policy: "),
        (SOUND | {"tasks": "envscaler"}, "tasks: is 'envscaler'; write a list"),
        (SOUND | {"models": [None]}, "models: has None; write a name, or a mapping with `model`"),
        (SOUND | {"models": [""]}, "models 1 model: "),
        (SOUND | {"models": [{"model": "a/b", "label": ""}]}, "models 1 label: "),
        (SOUND | {"roles": "policy/user"}, "roles: is 'policy/user'; write a mapping"),
        (
            SOUND | {"roles": {"usr": "policy/user"}},
            "roles: has 'usr', which no task has; use user",
        ),
        (SOUND | {"parameters": {"seed": 5}}, "parameters: seed is 5; write a list"),
        (SOUND | {"parameters": {"seed": []}}, "parameters: seed is empty; name at least one"),
        (SOUND | {"parameters": ["seed"]}, "parameters: is ['seed']; write a mapping"),
        (
            SOUND | {"parameters": {"trials": [1]}},
            "parameters: has 'trials'; give it as the plan's",
        ),
        (
            SOUND
            | {
                "tasks": [{"task": "envscaler", "args": {"seed": 3}}],
                "parameters": {"seed": [1, 2]},
            },
            "tasks 1 args: has 'seed', which `parameters` has too; keep one",
        ),
        (
            SOUND | {"models": [{"model": "a/b", "generation": {"temprature": 1}}]},
            "models 1 generation: Unknown GenerateConfig field(s): temprature",
        ),
        (
            SOUND | {"models": [{"model": "a/b", "generation": {"temperature": "hot"}}]},
            "models 1 generation: temperature: ",
        ),
        (
            SOUND | {"models": [{"model": "a/b", "generation": {"max_connections": 0}}]},
            "models 1 generation: max_connections is 0; use a whole number from 1",
        ),
        (
            SOUND | {"models": [{"model": "a/b", "generation": {"adaptive_connections": True}}]},
            "models 1 generation: has 'adaptive_connections', which no limit can hold",
        ),
    ],
)
def test_a_bad_plan_is_told_in_one_line(tmp_path: Path, content: object, told: str) -> None:
    file = written(tmp_path, content)
    with pytest.raises(UsageError) as refusal:
        read_plan(file)
    assert refusal.value.message.startswith(f"{file}: ")
    assert told in refusal.value.message
    assert "\n" not in refusal.value.message


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"tasks": [{"task": "envscaler", "args": {"colour": 1}}]}, "'colour'"),
        ({"tasks": [{"task": "envscaler", "args": {"mode": "loud"}}]}, "mode is 'loud'"),
        ({"tasks": [{"task": "envscaler", "args": {"limits": 5}}]}, "mend its args"),
        ({"parameters": {"mode": ["conv"]}}, "roles: envscaler in conversation needs a model"),
        ({"limits": {"openai": 4}}, "limits openai: no model of the plan is served by it"),
        ({"models": ["policy/noop", "policy/noop"]}, "twice in the plan"),
        ({"models": ["a/b", "a_b"]}, "a/b and a_b would both have the folder a_b/envscaler"),
        ({"models": ["a/Step", "a/step"]}, "a/Step and a/step would both have the folder"),
        (
            {
                "tasks": [
                    {"task": "envscaler", "args": {"envs": "hotel_operations", "seed": seed}}
                    for seed in (1, 2)
                ]
            },
            "tasks: envscaler has the same samples more than once, such as hotel_operations/",
        ),
    ],
)
def test_the_command_ends_with_exit_code_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    change: dict[str, Any],
    told: str,
) -> None:
    file = written(tmp_path, SOUND | change)
    command = in_process(monkeypatch, capsys)
    code, _, errors = command("sweep", "run", file, "--out", tmp_path / "out")
    assert code == 2
    assert told in errors
    assert str(file) in errors
    assert "Traceback" not in errors


def test_parameters_are_swept_over_with_every_model() -> None:
    plan = SweepPlan.model_validate(
        {**SOUND, "models": ["a/one", "a/two"], "parameters": {"seed": [1, 2], "mode": ["conv"]}}
    )
    assert [(unit.model.model, unit.args["seed"]) for unit in units(plan)] == [
        ("a/one", 1),
        ("a/one", 2),
        ("a/two", 1),
        ("a/two", 2),
    ]
    assert len({unit.name for unit in units(plan)}) == 4


def test_names_that_differ_only_in_their_letters_or_far_behind_have_folders_of_their_own() -> None:
    labels = ["模型一", "模型二", "é", "è", "...", "x" * 300 + "1", "x" * 300 + "2"]
    models = [{"model": "policy/noop", "label": label} for label in labels]
    found = units(SweepPlan.model_validate({**SOUND, "models": models}))
    folders = {unit.name for unit in found}
    assert len(folders) == len(labels)
    assert all(len(part.encode()) < 200 for name in folders for part in name.split("/"))


def test_every_sample_is_in_one_shard_of_each_model(tmp_path: Path) -> None:
    cut = shards(SweepPlan.model_validate(a_plan(write_rooms(tmp_path))))
    for model in {shard.unit.model.name for shard in cut}:
        its = [shard for shard in cut if shard.unit.model.name == model]
        samples = [sample for shard in its for sample in shard.samples]
        assert len(samples) == len(set(samples)) == 12
        assert {len(shard.samples) for shard in its} == {4}
        # A shard has some of each environment, so that none takes far longer than another.
        assert all(len({sample.split("/")[0] for sample in shard.samples}) == 2 for shard in its)


def test_shards_are_the_same_for_whoever_cuts_them(tmp_path: Path) -> None:
    plan = SweepPlan.model_validate(a_plan(write_rooms(tmp_path)))
    assert shards(plan) == shards(plan)


def keys(plan: dict[str, Any]) -> set[str]:
    return {shard.key for shard in shards(SweepPlan.model_validate(plan))}


def test_a_plan_that_grows_keeps_the_shards_that_it_had(tmp_path: Path) -> None:
    rooms = write_rooms(tmp_path)
    before = keys(a_plan(rooms))
    assert before < keys(a_plan(rooms, models=[*a_plan(rooms)["models"], "policy/oracle"]))


@pytest.mark.parametrize(
    "change",
    [
        {"trials": 2},
        {"parameters": {"seed": [1]}},
        {"sample_limits": {"token_limit": 1000}},
        {"models": [{"model": "policy/oracle", "args": {"error_rate": 0.5}}]},
    ],
)
def test_what_changes_episodes_changes_shards(tmp_path: Path, change: dict[str, Any]) -> None:
    rooms = write_rooms(tmp_path)
    assert not keys(a_plan(rooms)) & keys(a_plan(rooms, **change))


def test_a_changed_environment_changes_its_shards(tmp_path: Path) -> None:
    rooms = write_rooms(tmp_path)
    before = keys(a_plan(rooms))
    file = Path(rooms) / "room_0" / "environment.py"
    file.write_text(file.read_text() + "\n# Another hash.\n")
    assert not before & keys(a_plan(rooms))


def test_how_shards_are_run_does_not_change_them(tmp_path: Path) -> None:
    rooms = write_rooms(tmp_path)
    changed = a_plan(rooms, limits={"policy": 9}, retries=7, sample_retries=0)
    assert keys(a_plan(rooms)) == keys(changed)
