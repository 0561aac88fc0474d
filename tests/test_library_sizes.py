"""How large and how varied the library is, and that its tags follow from what was measured."""

from collections import Counter
from functools import lru_cache
from statistics import mean

from envscaler_eval.difficulty import difficulty
from envscaler_eval.pack import Pack, find_packs, read_pack
from envscaler_eval.pack_statistics import PUBLISHED, pack_statistics
from envscaler_eval.runtime import InProcessRuntime
from envscaler_eval.scenario import Scenario


@lru_cache
def _packs() -> list[Pack]:
    return [read_pack(folder) for folder in find_packs()]


def _scenarios() -> list[Scenario]:
    return [scenario for pack in _packs() for scenario in pack.scenarios]


def test_forty_packs_hold_six_hundred_scenarios_of_many_domains() -> None:
    assert len(_packs()) >= 40
    assert len(_scenarios()) >= 600
    assert len({pack.info.domain for pack in _packs()}) >= 15


def test_environments_are_at_least_as_large_as_the_papers() -> None:
    sizes = [pack_statistics(pack, InProcessRuntime(pack.environment)) for pack in _packs()]
    assert mean(size.tools for size in sizes) >= PUBLISHED["tools"]
    assert mean(size.tools - size.change for size in sizes) >= PUBLISHED["query"]
    assert mean(size.change for size in sizes) >= PUBLISHED["change"]
    assert mean(size.categories for size in sizes) >= PUBLISHED["categories"]
    assert mean(size.rules for size in sizes) >= PUBLISHED["rules"]


def test_a_quarter_of_the_scenarios_is_short_and_a_quarter_long() -> None:
    lengths = [len(scenario.solution) for scenario in _scenarios()]
    assert sum(length <= 5 for length in lengths) >= len(lengths) / 4
    assert sum(length > 15 for length in lengths) >= len(lengths) / 4


def test_the_first_tag_is_the_measured_difficulty() -> None:
    for scenario in _scenarios():
        assert scenario.tags[0] == difficulty(scenario.solution), scenario.name


def test_scenarios_of_every_kind_are_there_in_number() -> None:
    tags = Counter(tag for scenario in _scenarios() for tag in scenario.tags)
    for kind in ("conditional", "aggregate", "corrective", "refusal", "multi_party"):
        assert tags[kind] >= 100, kind


def test_ten_environments_are_held_out_and_none_takes_the_only_one_of_a_shared_domain() -> None:
    split = Counter(pack.info.split for pack in _packs())
    assert split == {"train": 30, "test": 10}
    tested = Counter(pack.info.domain for pack in _packs() if pack.info.split == "test")
    trained = {pack.info.domain for pack in _packs() if pack.info.split == "train"}
    assert set(tested.values()) == {1}
    assert set(tested) <= trained
