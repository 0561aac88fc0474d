"""The commands on runs of several models, from the run to the table."""

import json
from pathlib import Path

import pytest

from envscaler_eval.results.manifest import read_manifest
from tests.cli.commands import Command
from tests.pack_files import write_pack
from tests.results.log_files import write_log


def _oracle(error_rate: float) -> tuple[str, str]:
    return "--model-spec", f"{{model: policy/oracle, model_args: {{error_rate: {error_rate}}}}}"


def test_oracles_of_graded_skill_come_out_in_order(envscaler: Command, tmp_path: Path) -> None:
    specs = [part for rate in (0.6, 0.2, 0) for part in _oracle(rate)]
    found = tmp_path / "probe.json"
    code, output, _ = envscaler(
        "probe",
        *specs,
        "--in-order",
        "-n",
        10,
        "--seed",
        1,
        "--log-dir",
        tmp_path / "logs",
        "--json",
        found,
    )
    assert code == 0, output
    (probe,) = json.loads(found.read_text())
    assert probe["samples"] == 10
    assert probe["order"]["p"] < 0.01
    means = [model["score"]["value"] for model in probe["models"]]
    assert means == sorted(means)
    assert means[2] == pytest.approx(1)
    assert probe["models"][2]["solved"] == 1
    assert [model["wins"] for model in probe["models"]] == sorted(
        model["wins"] for model in probe["models"]
    )
    assert all(2 * duel["won"] + duel["tied"] > 1 for duel in probe["duels"])
    assert "policy/oracle (error_rate=0.6)" in output
    # What was run can be read again.
    code, again, _ = envscaler("probe", tmp_path / "logs")
    assert code == 0
    assert f"{means[0]:.3f}" in again


@pytest.mark.parametrize("arguments", [(), ("logs", "--models", "policy/noop")])
def test_a_probe_wants_models_or_logs(envscaler: Command, arguments: tuple[str, ...]) -> None:
    code, _, errors = envscaler("probe", *arguments)
    assert code == 2
    assert "name either models to run (--models, --model-spec) or logs to read" in errors


def test_a_probe_whose_run_fails_says_so(envscaler: Command, tmp_path: Path) -> None:
    pack = write_pack(tmp_path)
    code, _, errors = envscaler(
        "probe",
        "--models",
        "policy/oracle,policy/nobody",
        "--envs",
        pack,
        "--log-dir",
        tmp_path / "logs",
    )
    assert code == 2
    assert "policy/nobody: the run has failed" in errors


def _write_runs(folder: Path, key: str, levels: dict[str, float]) -> None:
    for label, level in levels.items():
        write_log(
            folder / label,
            {f"e{n}": [level + n / 100] for n in range(9)},
            metadata={key: label},
        )


def test_curves_are_told_written_and_drawn(envscaler: Command, tmp_path: Path) -> None:
    _write_runs(tmp_path / "logs", "environments", {"0": 0.1, "20": 0.4, "50": 0.5})
    files = [tmp_path / f"curve.{ending}" for ending in ("json", "md", "html", "svg")]
    code, output, _ = envscaler(
        "scaling",
        "fit",
        tmp_path / "logs",
        "--json",
        files[0],
        "--markdown",
        files[1],
        "--html",
        files[2],
        "--figure",
        files[3],
    )
    assert code == 0
    assert "+0.300" in output
    assert "0 to 20" in files[1].read_text()
    assert all(file.stat().st_size for file in files)


def test_training_modes_are_compared(envscaler: Command, tmp_path: Path) -> None:
    _write_runs(tmp_path, "training_mode", {"conv": 0.2, "none": 0.1, "mixed": 0.5})
    code, output, _ = envscaler("ablation", tmp_path, "--baseline", "none")
    assert code == 0
    assert "against none" in output
    assert "+0.400" in output


def test_logs_without_their_label_are_told(envscaler: Command, tmp_path: Path) -> None:
    path = write_log(tmp_path, {"a": [1.0]})
    code, _, errors = envscaler("ablation", path)
    assert code == 2
    assert "its metadata has no 'training_mode'" in errors


def test_similarity_lists_copies_and_fails_when_strict(envscaler: Command, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    packs = [write_pack(here), write_pack(here, "farm", introduction="Tractors.", title="Farm")]
    copy = write_pack(there)
    arguments = ("similarity", *packs, "--to", copy, "--subsets", 1, "--out", tmp_path / "sets")
    code, output, _ = envscaler(*arguments, "--figure", tmp_path / "map.svg")
    assert code == 0
    assert "Duplicates" in output
    assert (tmp_path / "map.svg").exists()
    assert [chosen.id for chosen in read_manifest(tmp_path / "sets/top-001.yaml").environments] == [
        "stock_room"
    ]
    assert envscaler(*arguments, "--strict")[0] == 1


def test_similarity_goes_with_what_is_at_hand(
    envscaler: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENVSCALER_DATA", str(tmp_path))
    code, output, _ = envscaler("similarity", "--json", tmp_path / "found.json")
    assert code == 0
    assert "no BFCL data" in output
    found = json.loads((tmp_path / "found.json").read_text())
    assert {point["source"] for point in found["map"]} == {"packs"}


def test_gains_are_read_from_logs(envscaler: Command, tmp_path: Path) -> None:
    packs = [
        write_pack(tmp_path, name, introduction=told)
        for name, told in (
            ("inn", "Rooms."),
            ("farm", "Tractors."),
            ("bank", "Money and rooms."),
            ("zoo", "Lions."),
        )
    ]
    metadata = {f"{pack.name}/s:non_conv": {"env": pack.name, "mode": "x"} for pack in packs}
    for label, level in (("before", 0.0), ("after", 0.1)):
        write_log(
            tmp_path / label,
            {sample: [level * place] for place, sample in enumerate(metadata)},
            task="envscaler_eval/envscaler",
            scorer="reward",
            sample_metadata=metadata,
        )
    tests = [part for pack in packs[1:] for part in ("--to", pack)]
    code, output, _ = envscaler(
        "similarity", packs[0], *tests, "--gain", tmp_path / "before", tmp_path / "after"
    )
    assert code == 0
    assert "Gain against similarity" in output
    assert "1 samples are of environments trained on" in output
