"""What may be trained on, and what is selected."""

from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.exports.rl import RlSettings, TrainingSet
from envscaler_eval.pack import find_packs, read_info
from tests.exports.rl_rollouts import stock_room_settings, training_set
from tests.pack_files import a_scenario, write_pack


def test_the_library_is_taken_without_its_test_split() -> None:
    taken = {pack.info.id for pack in TrainingSet(RlSettings()).packs}
    assert taken == {folder.name for folder in find_packs() if read_info(folder).split == "train"}


def test_test_environments_are_refused_by_name_unless_insisted_on(tmp_path: Path) -> None:
    folder = write_pack(tmp_path, "held_out", split="test")
    settings = RlSettings(envs=("hotel_operations", str(folder)))
    with pytest.raises(UsageError, match="held_out: to test on"):
        TrainingSet(settings)
    insisted = TrainingSet(settings.model_copy(update={"include_test": True}))
    assert {task.scenario.env for task in insisted.tasks} == {"hotel_operations", "held_out"}


def test_each_mode_is_a_task_of_its_own_named_as_inspect_names_it(tmp_path: Path) -> None:
    names = [task.name for task in training_set(tmp_path, mode="both").tasks]
    assert names == ["stock_room/restock:non_conv", "stock_room/restock:conv"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"tags": ("hard",)}, "carries the tags hard"),
        ({"samples": ("stock_room/other:conv",)}, "'stock_room/other:conv' first"),
        ({"samples": ()}, "no scenario"),
        ({"pack_hashes": {"stock_room": "0" * 64}}, "export again"),
        ({"limits": {"call_minutes": 1}}, "call_minutes"),
        ({"envs": ("no_such_pack",)}, "no_such_pack"),
    ],
)
def test_what_cannot_be_selected_is_told(
    tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    settings = stock_room_settings(tmp_path).model_copy(update=changes)
    with pytest.raises(UsageError, match=told):
        TrainingSet(settings)


def test_two_packs_of_one_id_are_refused(tmp_path: Path) -> None:
    first, second = (str(write_pack(tmp_path / root)) for root in "ab")
    with pytest.raises(UsageError, match="both 'stock_room'; name one of them"):
        TrainingSet(RlSettings(envs=(first, second)))


def test_samples_and_tags_narrow_the_choice(tmp_path: Path) -> None:
    scenarios = [a_scenario(), a_scenario(id="later", tags=["hard"])]
    write_pack(tmp_path, scenarios=scenarios)
    assert [t.scenario.id for t in training_set(tmp_path, tags=("hard",)).tasks] == ["later"]
    chosen = training_set(tmp_path, samples=("stock_room/restock:non_conv",))
    assert [t.scenario.id for t in chosen.tasks] == ["restock"]


def test_scenarios_without_checks_are_left_out(tmp_path: Path) -> None:
    write_pack(tmp_path, scenarios=[a_scenario(), a_scenario(id="unchecked", checks=[])])
    assert [task.scenario.id for task in training_set(tmp_path).tasks] == ["restock"]


def test_an_unknown_task_is_told_with_what_names_are_like(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="stock_room/restock:non_conv"):
        training_set(tmp_path).start("restock")
