"""`envscaler export rl`: folders that a trainer takes as they are."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from envscaler_eval.exports.rl import TrainingSet
from envscaler_eval.exports.rl.folders import read_settings
from envscaler_eval.pack import read_pack
from envscaler_eval.results.manifest import write_manifest
from tests.cli.commands import Command
from tests.pack_files import write_pack

TARGETS = pytest.mark.parametrize("target", ["trl", "verifiers", "openenv"])
HOME = {"trl": "", "verifiers": "my_envs", "openenv": ""}
"""Where in the folder the settings are."""


@pytest.fixture
def pack(tmp_path: Path) -> Iterator[Path]:
    """A pack that is not of the library."""
    yield write_pack(tmp_path / "packs")


@TARGETS
def test_a_folder_brings_its_packs_and_fixes_the_settings(
    envscaler: Command, pack: Path, tmp_path: Path, target: str
) -> None:
    out = tmp_path / "my-envs"
    envs = f"hotel_operations,{pack}"
    options = ["--mode", "both", "--seed", 7, "--no-grade-truncated"]
    code, told, _ = envscaler(
        "export", "rl", "--target", target, "--envs", envs, "-o", out, *options
    )
    assert code == 0
    assert "26 tasks of hotel_operations, stock_room" in told
    pack_hash = read_pack(pack).hash
    for file in sorted(pack.rglob("*"), reverse=True):
        file.unlink() if file.is_file() else file.rmdir()
    settings = read_settings(out / HOME[target])
    assert (settings.seed, settings.grade_truncated, settings.mode) == (7, False, "both")
    assert settings.pack_hashes["stock_room"] == pack_hash
    assert len(TrainingSet(settings).tasks) == 26


@TARGETS
def test_what_is_written_is_text_without_gaps_and_python_that_compiles(
    envscaler: Command, pack: Path, tmp_path: Path, target: str
) -> None:
    out = tmp_path / "my_envs"
    envscaler("export", "rl", "--target", target, "--envs", pack, "-o", out)
    assert (out / "README.md").is_file()
    for file in out.rglob("*"):
        if file.is_file():
            text = file.read_text(encoding="utf-8")
            assert "{{" not in text
            assert "{%" not in text
            if file.suffix == ".py":
                compile(text, str(file), "exec")


def test_the_rows_for_trl_have_what_reset_needs(
    envscaler: Command, pack: Path, tmp_path: Path
) -> None:
    out = tmp_path / "my_envs"
    envscaler("export", "rl", "--target", "trl", "--envs", pack, "--mode", "both", "-o", out)
    rows = [json.loads(line) for line in (out / "train.jsonl").read_text("utf-8").splitlines()]
    assert [row["task"] for row in rows] == [
        "stock_room/restock:non_conv",
        "stock_room/restock:conv",
    ]
    alone, talking = (row["prompt"] for row in rows)
    assert alone[1]["content"] == "Take three bolts out. Then order nuts. It is urgent."
    assert talking[1]["content"] == ""
    assert "talk_to_user" in talking[0]["content"]


def test_a_manifest_names_the_environments(envscaler: Command, pack: Path, tmp_path: Path) -> None:
    manifest = tmp_path / "chosen.yaml"
    write_manifest(manifest, "scaling", [read_pack(pack)], {})
    code, told, _ = envscaler(
        "export", "rl", "--target", "trl", "--manifest", manifest, "-o", tmp_path / "out"
    )
    assert code == 0
    assert "1 task of stock_room" in told


def test_a_manifest_without_environments_does_not_stand_for_the_whole_split(
    envscaler: Command, tmp_path: Path
) -> None:
    manifest = tmp_path / "environments-000.yaml"
    write_manifest(manifest, "scaling", [], {})
    code, _, told = envscaler(
        "export", "rl", "--target", "trl", "--manifest", manifest, "-o", tmp_path / "out"
    )
    assert code == 2
    assert "environments-000.yaml: names no environment" in told
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--envs", "grant_office", "-o", "x"], "grant_office: to test on"),
        (["--envs", "grant_office", "-o", "1 x"], "no name for a Python package"),
        (["--curriculum", "0.2:0.8", "-o", "x"], "needs logs"),
        (["--curriculum", "half", "-o", "x", "some.eval"], "two success rates"),
        (["-o", "x", "some.eval"], "logs are for --curriculum"),
        (["-o", "x", "--envs", "a", "--manifest", "b"], "give one of them"),
    ],
)
def test_mistakes_are_told_in_a_line_and_nothing_is_written(
    envscaler: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, error = envscaler("export", "rl", "--target", "trl", *arguments)
    assert code == 2
    assert told in error
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_left_alone(
    envscaler: Command, pack: Path, tmp_path: Path
) -> None:
    arguments = ("export", "rl", "--target", "trl", "--envs", pack, "-o", tmp_path / "packs")
    code, _, error = envscaler(*arguments)
    assert code == 2
    assert "is there already" in error
    assert pack.is_dir()
