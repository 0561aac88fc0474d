"""Manifests name the environments of a training run, and notice when one has changed."""

from pathlib import Path

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.pack import find_packs, read_pack
from envscaler_eval.results.manifest import (
    Manifest,
    manifest_packs,
    read_manifest,
    training_packs,
    write_manifest,
)
from tests.pack_files import write_pack, write_scenarios


@pytest.mark.parametrize("name", ["chosen.yaml", "chosen.json"])
def test_what_is_written_is_read_again(tmp_path: Path, name: str) -> None:
    shipped = read_pack(find_packs()[0])
    own = read_pack(write_pack(tmp_path / "packs"))
    file = tmp_path / "plan" / name
    written = write_manifest(file, "scaling", [own, shipped], {"seed": 3})
    assert read_manifest(file) == written
    assert written.name == "chosen"
    assert written.made == {"seed": 3}
    assert [chosen.path for chosen in written.environments] == ["../packs/stock_room", None]
    assert [pack.hash for pack in manifest_packs(file)] == [own.hash, shipped.hash]


def test_a_manifest_without_environments_stands_for_the_model_before_training(
    tmp_path: Path,
) -> None:
    file = tmp_path / "environments-000.yaml"
    write_manifest(file, "scaling", [], {})
    assert manifest_packs(file) == []


def test_a_pack_that_has_changed_is_refused(tmp_path: Path) -> None:
    folder = write_pack(tmp_path)
    file = tmp_path / "chosen.yaml"
    write_manifest(file, "scaling", [read_pack(folder)], {})
    write_scenarios(folder, [])
    with pytest.raises(UsageError, match="environment 'stock_room' has changed"):
        manifest_packs(file)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("- a\n- list\n", "the file: "),
        ("format: 2\nname: x\npurpose: scaling\nenvironments: []\n", "format: "),
        ("name: x\npurpose: scaling\nenvironments: [{id: a}]\n", r"environments\.0\.domain: "),
        ("name: [\n", "a manifest is YAML or JSON"),
    ],
)
def test_what_is_no_manifest_is_told_in_a_line(tmp_path: Path, content: str, told: str) -> None:
    file = tmp_path / "chosen.yaml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=told) as fault:
        read_manifest(file)
    assert str(file) in fault.value.message
    assert "\n" not in fault.value.message


def test_a_missing_manifest_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_manifest(tmp_path / "chosen.yaml")


def test_training_packs_are_those_of_the_split() -> None:
    packs = training_packs()
    assert packs
    assert {pack.info.split for pack in packs} == {"train"}


def test_two_packs_of_one_id_are_refused(tmp_path: Path) -> None:
    folders = [str(write_pack(tmp_path / side)) for side in ("here", "there")]
    with pytest.raises(UsageError, match="both have the id 'stock_room'; name one"):
        training_packs(folders)


def test_a_manifest_s_json_schema_is_closed() -> None:
    assert Manifest.model_json_schema()["additionalProperties"] is False
