"""Packs go out as a data set that `datasets` loads, and come back the same."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from envscaler_eval.audit import audited_hash
from envscaler_eval.cli.app import app
from envscaler_eval.errors import UsageError
from envscaler_eval.pack import LIBRARY, Pack, read_pack
from envscaler_eval.pack_writing import write_pack as write_read_pack
from tests.loaded import tables, use_own_cache
from tests.pack_files import a_scenario, write_pack

SHIPPED = "hotel_operations"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_own_cache(monkeypatch, tmp_path)


def _command(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def _packs(tmp_path: Path) -> tuple[Path, Path]:
    """Write a training pack and an ungraded, unsolved one to test on."""
    bare = a_scenario(id="bare", checks=None, solution=None, tags=None)
    return (
        write_pack(tmp_path / "packs", "alpha"),
        write_pack(tmp_path / "packs", "beta", split="test", scenarios=[bare], rules=[]),
    )


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_packs_come_back_the_same(tmp_path: Path, form: str) -> None:
    originals = [LIBRARY / SHIPPED, *_packs(tmp_path)]
    out, back = tmp_path / "set", tmp_path / "back"
    ended = _command("export", "hub", *originals, "--out", out, "--format", form)
    assert ended.exit_code == 0, ended.output
    ended = _command("import", "hub", out, "--out", back)
    assert ended.exit_code == 0, ended.output
    for folder in originals:
        before, after = read_pack(folder), read_pack(back / folder.name)
        assert after.hash == before.hash
        assert after.info == before.info
        assert after.scenarios == before.scenarios
        assert after.rejections == before.rejections


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_the_folder_loads_with_a_table_of_each_kind_and_whole_splits(
    tmp_path: Path, form: str
) -> None:
    _command(
        "export",
        "hub",
        tmp_path / _packs(tmp_path)[0].parent,
        "-o",
        tmp_path / "set",
        "--format",
        form,
    )
    scenarios = tables(tmp_path / "set")
    assert {split: rows["env"] for split, rows in scenarios.items()} == {
        "train": ["alpha"],
        "test": ["beta"],
    }
    assert scenarios["train"].features == scenarios["test"].features
    assert scenarios["train"][0]["tags"] == ["easy"]
    assert scenarios["test"][0]["tags"] == []
    assert json.loads(scenarios["train"][0]["state"])["next_order"] == 1
    environments = tables(tmp_path / "set", "environments")["train"]
    assert [tool["name"] for tool in json.loads(environments[0]["tools"])][:1] == ["list_items"]


def _card(pack: Pack, tmp_path: Path) -> tuple[dict[str, Any], str]:
    folder = write_read_pack(pack, tmp_path / "packs")
    _command("export", "hub", folder, "--out", tmp_path / "set")
    _, header, text = (tmp_path / "set" / "README.md").read_text().split("---\n", 2)
    return yaml.safe_load(header), text


def test_the_card_states_what_the_audit_measured(tmp_path: Path) -> None:
    pack = read_pack(LIBRARY / SHIPPED)
    quality = pack.info.quality
    header, text = _card(pack, tmp_path)
    assert header["license"] == "mit"
    assert [config["config_name"] for config in header["configs"]] == ["scenarios", "environments"]
    (row,) = [line for line in text.splitlines() if line.startswith(f"| {SHIPPED} |")]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    mutants, positives = quality["argument_mutants"], quality["false_positives"]
    assert cells == [
        SHIPPED,
        "train",
        str(len(pack.scenarios)),
        "passed",
        str(quality["oracle"]),
        str(quality["random_reward"]["mean"]),
        f"{mutants['right']}/{mutants['of']}",
        f"{positives['count']}/{positives['of']}",
        f"{quality['false_negatives']['count']}/{quality['false_negatives']['of']}",
    ]
    assert f"| train | 1 | {len(pack.scenarios)} |" in text
    assert pack.info.canary in text
    assert "Without a reference solution" not in text


def test_the_card_does_not_pass_off_an_old_audit(tmp_path: Path) -> None:
    pack = read_pack(LIBRARY / SHIPPED)
    assert pack.info.quality["audited"] == audited_hash(pack)
    changed = Pack(pack.folder, pack.info, pack.environment, pack.scenarios[1:], pack.rejections)
    _, text = _card(changed, tmp_path)
    (row,) = [line for line in text.splitlines() if line.startswith(f"| {SHIPPED} |")]
    assert "changed since its audit | - |" in row


def test_the_card_tells_what_is_unaudited_ungraded_and_unsolved(tmp_path: Path) -> None:
    first, second = _packs(tmp_path)
    _command("export", "hub", first, second, "--out", tmp_path / "set")
    text = (tmp_path / "set" / "README.md").read_text()
    assert "| alpha | train | 1 | not audited |" in text
    assert "| beta | 1 | 1 |" in text


def test_a_changed_table_is_refused_by_name_and_the_rest_comes_back(tmp_path: Path) -> None:
    first, second = _packs(tmp_path)
    _command("export", "hub", first, second, "--out", tmp_path / "set", "--format", "jsonl")
    (file,) = (tmp_path / "set" / "scenarios").glob("train-*.jsonl")
    file.write_text(file.read_text().replace("three bolts", "four bolts"))
    ended = _command("import", "hub", tmp_path / "set", "--out", tmp_path / "back")
    assert ended.exit_code == 0
    assert "environment 'alpha': its rows have the hash" in ended.stderr
    assert [folder.name for folder in (tmp_path / "back").iterdir() if folder.is_dir()] == ["beta"]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ('"source": "', '"source": "x y ', "environment 'alpha': line 1: invalid syntax"),
        ('"class_name": "StockRoom"', '"class_name": null', "'alpha': class_name is missing"),
        ('"rejections": "[]"', '"rejections": "["', "'alpha': rejections is no JSON text"),
    ],
)
def test_a_faulty_row_is_told_in_one_line(
    tmp_path: Path, before: str, after: str, told: str
) -> None:
    _command("export", "hub", _packs(tmp_path)[0], "--out", tmp_path / "set", "--format", "jsonl")
    (file,) = (tmp_path / "set" / "environments").glob("train-*.jsonl")
    assert before in file.read_text()
    file.write_text(file.read_text().replace(before, after))
    ended = _command("import", "hub", tmp_path / "set", "--out", tmp_path / "back")
    assert isinstance(ended.exception, UsageError)
    assert told in ended.exception.message
    assert "\n" not in ended.exception.message
    assert not (tmp_path / "back").exists()


def test_a_folder_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    first, _ = _packs(tmp_path)
    ended = _command("export", "hub", first, "--out", tmp_path / "packs")
    assert isinstance(ended.exception, UsageError)
    assert "is there already" in ended.exception.message
    ended = _command("export", "hub", first, first, "--out", tmp_path / "set")
    assert isinstance(ended.exception, UsageError)
    assert "alpha: two packs have this id" in ended.exception.message
    assert not (tmp_path / "set").exists()


def test_a_place_that_cannot_be_written_to_is_told(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("no folder")
    out = tmp_path / "note.txt" / "hub"
    ended = CliRunner().invoke(app, ["export", "hub", str(write_pack(tmp_path)), "-o", str(out)])
    assert isinstance(ended.exception, UsageError)
    assert "note.txt/hub: cannot be written: " in ended.exception.message


def test_what_is_no_data_set_of_packs_is_refused(tmp_path: Path) -> None:
    ended = _command("import", "hub", tmp_path / "nowhere", "--out", tmp_path / "back")
    assert isinstance(ended.exception, UsageError)
    assert "cannot be loaded" in ended.exception.message
    assert "`envscaler export hub` writes" in ended.exception.message
