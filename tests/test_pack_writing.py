"""Packs are written as they are read, whole or not at all."""

from pathlib import Path

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.pack import find_packs, read_pack
from envscaler_eval.pack_writing import write_pack
from tests.pack_files import a_scenario
from tests.pack_files import write_pack as write_by_hand


@pytest.mark.parametrize("folder", find_packs()[:2], ids=lambda folder: folder.name)
def test_a_shipped_pack_is_read_back_as_it_was(folder: Path, tmp_path: Path) -> None:
    pack = read_pack(folder)
    again = read_pack(write_pack(pack, tmp_path / "new" / "root"))
    assert again.hash == pack.hash
    assert again.info == pack.info
    assert again.scenarios == pack.scenarios
    assert again.rejections == pack.rejections
    assert again.environment.source == pack.environment.source


def test_scenarios_that_start_alike_share_a_file(tmp_path: Path) -> None:
    scenarios = [
        a_scenario(),
        a_scenario(id="again"),
        a_scenario(id="bare", state={"b": 1, "a": 2}),
    ]
    pack = read_pack(write_by_hand(tmp_path, scenarios=scenarios))
    folder = write_pack(pack, tmp_path / "copy")
    states = sorted(file.name for file in (folder / "states").iterdir())
    assert states == ["bare.json", "restock.json"]
    assert list(read_pack(folder).scenarios[2].state) == ["b", "a"]


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    folder = write_by_hand(tmp_path)
    pack = read_pack(folder)
    with pytest.raises(UsageError, match="stock_room: is there already"):
        write_pack(pack, tmp_path)
    assert read_pack(folder).hash == pack.hash
    assert [file.name for file in tmp_path.iterdir()] == ["stock_room"]
