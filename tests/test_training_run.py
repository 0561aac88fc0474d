"""The small packs of the training run."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import find_packs, read_pack
from envscaler_eval.validation import validate_pack
from perf.training_run.packs import main

IN_PROCESS = IsolationPolicy("in_process")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("training_run")
    main(made)
    return made


def test_every_pack_is_sound(folder: Path) -> None:
    assert [fault for pack in find_packs(folder) for fault in validate_pack(pack, IN_PROCESS)] == []


def test_the_same_packs_are_drawn_each_time(folder: Path, tmp_path: Path) -> None:
    main(tmp_path)
    assert [read_pack(pack).hash for pack in find_packs(tmp_path)] == [
        read_pack(pack).hash for pack in find_packs(folder)
    ]


def test_nobody_who_is_tested_on_was_trained_on(folder: Path) -> None:
    people: dict[str, set[str]] = {"train": set(), "test": set()}
    for pack in map(read_pack, find_packs(folder)):
        for scenario in pack.scenarios:
            people[pack.info.split] |= set(_names(scenario.state))
    assert people["train"]
    assert people["test"]
    assert not people["train"] & people["test"]


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "name":
                yield item
            yield from _names(item)
