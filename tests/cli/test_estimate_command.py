"""The command that tells what a run will take."""

import json
from collections import Counter
from pathlib import Path

import pytest
from inspect_ai.event import ModelEvent

from tests.cli.commands import Command
from tests.inspect_runs import run
from tests.pack_files import a_scenario, write_pack

PRICES = "maker/small: {input: 1, output: 4, source: a price list, date: 2026-11-01}\n"


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    """A table with one model."""
    file = tmp_path / "prices.yaml"
    file.write_text(PRICES, encoding="utf-8")
    return file


def test_the_calls_are_those_of_the_oracle_s_run(
    envscaler: Command, pack_folder: Path, tmp_path: Path
) -> None:
    options = ("--envs", pack_folder, "--mode", "both", "--trials", 2, "--factor", 1)
    code, output, _ = envscaler("estimate", *options, "--json", tmp_path / "figures.json")
    assert code == 0
    rows = json.loads((tmp_path / "figures.json").read_text("utf-8"))["rows"]
    log = run(pack_folder, "policy/oracle", tmp_path, "policy/user", mode="both", trials=2)
    events = [event for sample in log.samples or [] for event in sample.events]
    made = Counter(event.role or "agent" for event in events if isinstance(event, ModelEvent))
    assert {row["side"]: row["calls"] for row in rows} == made
    assert {row["side"]: row["episodes"] for row in rows} == {"agent": 4, "user": 2}
    assert "Assumed: 1 generations" in output and "$" not in output


def test_dollars_need_a_table_and_a_model_in_it(
    envscaler: Command, pack_folder: Path, prices: Path, tmp_path: Path
) -> None:
    options = ("estimate", "--envs", pack_folder, "--prices", prices)
    code, output, _ = envscaler(
        *(*options, "--model", "maker/small", "--thinking", 1000, "--json", tmp_path / "f.json")
    )
    assert code == 0
    assert "Prices: a price list 2026-11-01" in output
    figures = json.loads((tmp_path / "f.json").read_text("utf-8"))
    (row,) = figures["rows"]
    # Three calls and a report, half as many again, in each of which a thousand tokens are thought.
    assert row["calls"] == 6
    dollars = (row["read"] * 1 + row["written"] * 4) / 1e6
    assert row["written"] > 6000
    assert figures["total"]["dollars"] == pytest.approx(dollars, abs=1e-4)
    assert f"All: ${dollars:,.2f}" in output


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "--prices needs --model"),
        (("--model", "maker/large"), "no price of 'maker/large'; the table has maker/small"),
        (("--model", "maker/small", "--user-model", "x"), "no price of 'x'"),
        (("--model", "maker/small", "--mode", "chat"), "mode is 'chat'; use one of"),
    ],
)
def test_mistakes_end_in_one_line(
    options: tuple[str, ...], told: str, envscaler: Command, pack_folder: Path, prices: Path
) -> None:
    code, _, errors = envscaler("estimate", "--envs", pack_folder, "--prices", prices, *options)
    assert code == 2
    assert told in errors and len(errors.strip().splitlines()) == 1


def test_scenarios_without_a_solution_are_left_out_by_name(
    envscaler: Command, tmp_path: Path
) -> None:
    pack = write_pack(tmp_path, scenarios=[a_scenario(), a_scenario(id="open", solution=[])])
    code, output, _ = envscaler("estimate", "--envs", pack)
    assert code == 0
    assert "stock_room/open:non_conv: left out, it has no reference solution" in output
    bare = write_pack(tmp_path, "bare", scenarios=[a_scenario(solution=[])])
    code, _, errors = envscaler("estimate", "--envs", bare)
    assert code == 2 and "none of the scenarios has a reference solution" in errors
