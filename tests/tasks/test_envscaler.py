"""The task's parameters and samples."""

from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.pack import find_packs, read_info, read_pack
from envscaler_eval.tasks import envscaler
from envscaler_eval.tasks.dataset import listed, scenario_to_sample, select_packs
from tests.inspect_runs import call, model, run, say, score
from tests.pack_files import a_scenario, write_pack


def _ids(**args: Any) -> list[str]:
    return [str(sample.id) for sample in envscaler(**args).dataset]


@pytest.fixture
def packs(tmp_path: Path) -> str:
    """Two packs with three scenarios each, comma-separated."""
    scenarios = [
        a_scenario(id="a", tags=["easy"]),
        a_scenario(id="b", tags=["easy", "refusal"]),
        a_scenario(id="c", tags=[]),
    ]
    return ",".join(
        str(write_pack(tmp_path, name, scenarios=scenarios, split=split))
        for name, split in (("alpha", "train"), ("beta", "test"))
    )


def test_a_sample_is_named_by_environment_scenario_and_mode(packs: str) -> None:
    assert _ids(envs=packs, mode="both", tags="refusal") == [
        "alpha/b:non_conv",
        "alpha/b:conv",
        "beta/b:non_conv",
        "beta/b:conv",
    ]


def test_a_sample_tells_the_task_and_where_it_comes_from(pack_folder: Path) -> None:
    pack = read_pack(pack_folder)
    sample = scenario_to_sample(pack, pack.scenarios[0], "conv")
    assert sample.input == pack.scenarios[0].task
    assert sample.target == ""
    assert sample.metadata == {
        "env": "stock_room",
        "scenario": "restock",
        "mode": "conv",
        "domain": "logistics",
        "split": "train",
        "tags": ["easy"],
        "pack": str(pack_folder.resolve()),
        "pack_hash": pack.hash,
    }


def test_the_whole_library_is_the_default() -> None:
    expected = sum(len(read_pack(folder).scenarios) for folder in find_packs())
    assert len(envscaler().dataset) == expected


def test_environments_are_named_by_id_path_list_or_commas(packs: str) -> None:
    one, other = packs.split(",")
    assert len(_ids(envs=[one, other])) == 6
    assert len(_ids(envs=f" {one} ,")) == 3
    shipped = find_packs()[0].name
    assert {sample_id.split("/")[0] for sample_id in _ids(envs=shipped)} == {shipped}


def test_a_split_keeps_its_environments(packs: str) -> None:
    assert {sample_id[:5] for sample_id in _ids(envs=packs, split="train")} == {"alpha"}
    shipped = [folder.name for folder in find_packs() if read_info(folder).split == "test"]
    assert {sample_id.split("/")[0] for sample_id in _ids(split="test")} == set(shipped)


def test_tags_are_all_required(packs: str) -> None:
    assert len(_ids(envs=packs, tags="easy")) == 4
    assert len(_ids(envs=packs, tags="easy,refusal")) == 2


def test_scenarios_are_chosen_by_the_seed_and_stay_in_order(packs: str) -> None:
    chosen = _ids(envs=packs, scenarios_per_env=2, seed=1)
    assert len(chosen) == 4
    assert chosen == sorted(chosen)
    assert chosen == _ids(envs=packs, scenarios_per_env=2, seed=1)
    assert len({tuple(_ids(envs=packs, scenarios_per_env=1, seed=seed)) for seed in range(9)}) > 1
    assert len(_ids(envs=packs, scenarios_per_env=99)) == 6


def test_the_task_s_metadata_names_packs_by_hash_and_the_version(pack_folder: Path) -> None:
    task = envscaler(envs=str(pack_folder))
    assert task.metadata is not None
    assert task.metadata["packs"] == {"stock_room": read_pack(pack_folder).hash}
    assert task.metadata["full_task_version"] == f"{task.version}-A"


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "unknown environment": ({"envs": "atlantis"}, "there is no environment 'atlantis'"),
    "unknown mode": ({"mode": "chat"}, "mode is 'chat'; use one of non_conv, conv, both"),
    "unknown protocol": ({"protocol": "mine"}, "protocol is 'mine'; use one of default, paper"),
    "unknown reasoning": (
        {"reasoning_history": "some"},
        "reasoning_history is 'some'; use one of auto, all, last, none",
    ),
    "unknown split": ({"split": "dev"}, "split is 'dev'; use one of train, test"),
    "tags that none has": ({"tags": "purple"}, "none carries the tags purple"),
    "an environment that looks like a number": ({"envs": 2026}, "no environment '2026'"),
    "no trial": ({"trials": 0}, "trials is '0'; use a whole number from 1"),
    "half a trial": ({"trials": 1.5}, "trials is '1.5'; use a whole number from 1"),
    "no scenario": ({"scenarios_per_env": 0}, "scenarios_per_env is '0'; use a whole number"),
    "no step": ({"step_limit": 0}, "step_limit is '0'; use a whole number from 1"),
    "a seed in words": ({"seed": "lucky"}, "seed is 'lucky'; use a whole number"),
    "a maybe": ({"offer_tools": "maybe"}, "offer_tools is 'maybe'; use true or false"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_parameter_that_cannot_be_is_refused_in_one_line(case: str) -> None:
    args, told = BAD[case]
    with pytest.raises(UsageError) as refusal:
        envscaler(**args)
    assert told in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert refusal.value.exit_code == 2


def test_a_split_that_leaves_nothing_is_refused(pack_folder: Path) -> None:
    with pytest.raises(UsageError, match="none of those chosen is in split 'test'"):
        envscaler(envs=str(pack_folder), split="test")


def test_a_pack_without_scenarios_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no scenario is left of stock_room: there are none"):
        envscaler(envs=str(write_pack(tmp_path, scenarios=[])))


def test_a_faulty_pack_is_refused_and_the_healthy_ones_stay_usable(packs: str) -> None:
    healthy, faulty = packs.split(",")
    (Path(faulty) / "environment.py").unlink()
    with pytest.raises(UsageError, match=r"beta/environment\.py: is missing"):
        envscaler(envs=packs)
    assert len(_ids(envs=healthy)) == 3


def test_parameters_may_come_as_lists_or_text() -> None:
    assert listed(None) == []
    assert listed(" a, b ,") == ["a", "b"]
    assert listed(["a", "b"]) == ["a", "b"]
    assert [pack.info.id for pack in select_packs([find_packs()[0].name], None)] == [
        find_packs()[0].name
    ]


def test_trials_report_the_mean_pass_at_k_and_pass_k(pack_folder: Path, tmp_path: Path) -> None:
    """A model that succeeds in every other trial."""
    trials = iter(range(100))

    def first(_: Any) -> Any:
        if next(trials) % 2:
            return say("Task Completed")
        return say(
            "",
            call("take_item", item_id="I-1", quantity=3),
            call("order_item", item_id="I-2", priority="high"),
        )

    player = model(first, say("Task Completed"))
    log = run(pack_folder, player, tmp_path, trials=4, eval_max_samples=1)
    assert log.results is not None
    assert log.samples is not None
    assert len(log.samples) == 4
    means = {
        (result.name, result.reducer): result.metrics["mean"].value for result in log.results.scores
    }
    assert means["success", "mean"] == pytest.approx(1 / 2)
    assert means["success", "pass_at_4"] == 1
    assert means["success", "pass_k_4"] == 0
    assert means["reward", "mean"] == pytest.approx(1 / 2)


def test_the_seed_of_the_episode_is_the_same_in_every_trial(
    pack_folder: Path, tmp_path: Path
) -> None:
    log = run(pack_folder, "policy/random", tmp_path, trials=3, seed=9)
    assert log.samples is not None
    records = [sample.store["envscaler_eval"] for sample in log.samples]
    assert [record["seed"] for record in records] == [9, 9, 9]
    assert records[0] == records[1] == records[2]
    assert len({tuple(score(sample).items()) for sample in log.samples}) == 1


@pytest.mark.parametrize("path", ["envscaler_eval/tasks/envscaler.py", "tasks/envscaler.py"])
def test_the_task_s_file_stands_where_people_look(path: str) -> None:
    import envscaler_eval

    file = Path(envscaler_eval.__file__).parents[1] / path
    assert "def envscaler(" in file.read_text(encoding="utf-8")
