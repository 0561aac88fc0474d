"""The command that tells what a sweep will take."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from envscaler_eval.sweep import Store
from envscaler_eval.sweep.engines import LocalEngine
from envscaler_eval.sweep.status import sweep_status
from tests.cli.commands import Command
from tests.sweep.plans import a_plan, run_sweep, write_rooms

SERVED = {"model": "openai/gpt-4.1", "label": "served"}


@pytest.fixture
def rooms(tmp_path: Path) -> str:
    return write_rooms(tmp_path, scenarios=2)


def written(folder: Path, rooms: str, **changes: Any) -> Path:
    file = folder / "plan.yaml"
    file.write_text(yaml.safe_dump(a_plan(rooms, **changes)), encoding="utf-8")
    return file


def test_a_plan_is_shown_as_it_is_cut_and_nothing_runs(
    envscaler: Command, rooms: str, tmp_path: Path
) -> None:
    code, shown, _ = envscaler("sweep", "plan", written(tmp_path, rooms, samples_per_shard=3))
    assert code == 0
    row = next(line for line in shown.splitlines() if line.startswith("policy_noop"))
    assert row.split()[1:] == ["2", "4"]
    assert not (tmp_path / "sweeps").exists()


def test_calls_are_those_that_the_sweep_then_makes(
    envscaler: Command, rooms: str, tmp_path: Path
) -> None:
    file, figures = written(tmp_path, rooms, models=["policy/oracle"]), tmp_path / "told.json"
    code, _, errors = envscaler("sweep", "plan", file, "--estimate", "--json", figures)
    assert code == 0, errors
    (unit,) = json.loads(figures.read_text())["units"]
    plan = a_plan(rooms, models=["policy/oracle"])
    run_sweep(plan, tmp_path / "sweep", LocalEngine())
    from inspect_ai.log import list_eval_logs, read_eval_log

    logs = [read_eval_log(info) for info in list_eval_logs(str(tmp_path / "sweep"))]
    samples = [sample for log in logs for sample in log.samples or ()]
    made = sum(event.event == "model" for sample in samples for event in sample.events)
    assert unit["shards"] * unit["episodes"] == len(samples) == 4
    assert unit["calls"] * len(samples) == made
    assert sweep_status(Store(str(tmp_path / "sweep")).root).is_complete


def test_a_provider_binds_by_its_limit_and_tokens_have_their_price(
    envscaler: Command, rooms: str, tmp_path: Path
) -> None:
    prices, figures = tmp_path / "prices.yaml", tmp_path / "told.json"
    prices.write_text("openai/gpt-4.1: {input: 2, output: 8}\n")
    times = []
    for limit in (1, 2):
        file = written(tmp_path, rooms, models=[SERVED], limits={"openai": limit})
        options = ("--seconds-per-call", "30", "--prices", prices, "--json", figures)
        code, shown, errors = envscaler("sweep", "plan", file, "--estimate", *options)
        assert code == 0, errors
        told = json.loads(figures.read_text())
        times.append(told["estimate"]["seconds"])
    assert "What binds: provider" in shown
    assert times[0] == pytest.approx(2 * times[1], rel=0.2)
    (unit,) = told["units"]
    (row,) = unit["tokens"].values()
    assert unit["dollars"] == pytest.approx((2 * row["read"] + 8 * row["written"]) / 1e6)


@pytest.mark.parametrize(
    ("changes", "options", "told"),
    [
        ({"models": [SERVED]}, (), "--seconds-per-call is needed: served is asked"),
        (
            {"limits": {"policy": 3}},
            ("--nodes", "2", "--cores", "2"),
            "limits policy: 3 requests may be in flight, and 4 workers",
        ),
        ({}, ("--nodes", "0"), "--nodes"),
        ({}, ("--prices", "nowhere.yaml"), "nowhere.yaml"),
    ],
)
def test_what_cannot_be_told_is_refused_in_one_line(
    envscaler: Command,
    rooms: str,
    tmp_path: Path,
    changes: dict[str, Any],
    options: tuple[str, ...],
    told: str,
) -> None:
    file = written(tmp_path, rooms, **changes)
    code, shown, errors = envscaler("sweep", "plan", file, "--estimate", *options)
    assert code == 2
    assert told in errors
    assert not shown
