"""The commands on sweeps, from the plan to the table."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.commands import Command
from tests.sweep.plans import a_plan, write_rooms


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return written(tmp_path, a_plan(write_rooms(tmp_path, scenarios=2)))


def written(folder: Path, content: dict[str, Any]) -> Path:
    file = folder / "plan.yaml"
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    return file


def test_a_sweep_is_run_shown_and_told_of(
    envscaler: Command, plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, shown, _ = envscaler("sweep", "run", plan)
    assert code == 0
    assert "policy/oracle (error_rate=0.4)" in shown
    _, again, errors = envscaler("sweep", "run", plan)
    assert again == shown
    assert "done," not in errors
    _, results, _ = envscaler("sweep", "results", "sweeps/plan")
    assert results == shown


def test_the_status_tells_progress_and_spend(
    envscaler: Command, plan: Path, tmp_path: Path
) -> None:
    out, figures, prices = tmp_path / "out", tmp_path / "status.json", tmp_path / "prices.yaml"
    envscaler("sweep", "run", plan, "--out", out)
    prices.write_text("policy/noop: {input: 1, output: 1}\npolicy/oracle: {input: 1, output: 2}\n")
    code, told, _ = envscaler("sweep", "status", out, "--prices", prices, "--json", figures)
    assert code == 0
    assert "4 of 4" in told
    status = json.loads(figures.read_text())
    assert status["complete"]
    tokens = status["units"][1]["usage"]["policy/oracle"]
    noop = status["units"][0]["usage"]["policy/noop"]
    expected = tokens["input_tokens"] + 2 * tokens["output_tokens"]
    expected += noop["input_tokens"] + noop["output_tokens"]
    assert status["dollars"] == pytest.approx(expected / 1e6)


def test_what_failed_is_told_and_ends_with_exit_code_1(envscaler: Command, tmp_path: Path) -> None:
    changed = a_plan(write_rooms(tmp_path, scenarios=2), models=["policy/noop", "policy/nobody"])
    file, out = written(tmp_path, {**changed, "sample_retries": 0, "retries": 0}), tmp_path / "out"
    code, shown, errors = envscaler("sweep", "run", file, "--out", out)
    assert code == 1
    assert "policy/noop" in shown
    assert "Not complete" in errors
    _, told, _ = envscaler("sweep", "status", out)
    assert "there is no policy/nobody" in told


def test_other_commands_read_a_sweep_as_one(envscaler: Command, plan: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    envscaler("sweep", "run", plan, "--out", out)
    code, told, errors = envscaler(
        "compare", out / "logs/policy_noop", out / "logs/policy_oracle_error_rate=0.4"
    )
    assert code == 0, errors
    assert "policy/oracle (error_rate=0.4)" in told
    code, _, errors = envscaler("report", out, "-o", tmp_path / "report.html")
    assert code == 0, errors
    assert "policy/oracle (error_rate=0.4)" in (tmp_path / "report.html").read_text()


def test_a_folder_without_a_sweep_is_told_in_one_line(envscaler: Command, tmp_path: Path) -> None:
    code, _, errors = envscaler("sweep", "status", tmp_path)
    assert code == 2
    assert "there is no sweep; name the folder that `sweep run` wrote to" in errors


def test_slurm_beside_an_address_needs_a_folder(envscaler: Command, plan: Path) -> None:
    code, _, errors = envscaler(
        "sweep", "run", plan, "--engine", "slurm", "--out", "memory://bucket/first"
    )
    assert code == 2
    assert "--slurm-dir is needed" in errors


@pytest.mark.parametrize(
    "options",
    [
        ("--ray-address", "auto"),
        ("--submit",),
        ("--slurm-dir", "jobs"),
        ("--slurm-option=--partition=cpu",),
        ("--memory-gb", "2"),
    ],
)
def test_options_of_other_engines_are_refused(
    envscaler: Command, plan: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    code, _, errors = envscaler("sweep", "run", plan, "--out", tmp_path / "out", *options)
    assert code == 2
    assert f"{options[0].partition('=')[0]} is not for --engine local; leave it out" in errors
    assert not (tmp_path / "out").exists()


def test_slurm_with_nothing_left_to_do_shows_the_results(
    envscaler: Command, plan: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    _, shown, _ = envscaler("sweep", "run", plan, "--out", out)
    code, again, _ = envscaler("sweep", "run", plan, "--out", out, "--engine", "slurm")
    assert (code, again) == (0, shown)
    assert not (out / "slurm").exists()


def test_before_the_first_shard_is_done_results_say_so(
    envscaler: Command, plan: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    envscaler("sweep", "run", plan, "--out", out, "--engine", "slurm")
    code, _, errors = envscaler("sweep", "results", out)
    assert code == 2
    assert "no shard of this sweep has come to an end; see `envscaler sweep status`" in errors


def test_progress_names_what_it_is_of(envscaler: Command, plan: Path, tmp_path: Path) -> None:
    _, _, errors = envscaler("sweep", "run", plan, "--out", tmp_path / "out")
    assert "policy_noop/envscaler, shard 0: done" in errors


@pytest.mark.parametrize("command", [("status",), ("results",), ("run",)])
def test_an_address_that_leads_nowhere_is_told_in_one_line(
    envscaler: Command, plan: Path, command: tuple[str]
) -> None:
    arguments = (plan, "--out", "foo://b/x") if command == ("run",) else ("foo://b/x",)
    code, _, errors = envscaler("sweep", *command, *arguments)
    assert code == 2
    assert "foo" in errors
    assert "Traceback" not in errors
