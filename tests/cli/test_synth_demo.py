"""From plain tasks to an audited pack, offline, by the session that ships."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from envscaler_eval.cli.app import app
from envscaler_eval.pack import read_pack


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Path]:
    """What the command says, and its folder."""
    out = tmp_path_factory.mktemp("demo") / "run"
    arguments = ["synth", "demo", "--out", str(out), "--allow-weak-isolation"]
    return CliRunner().invoke(app, arguments), out


def test_the_demo_ends_with_an_audited_pack(demo: tuple[Result, Path]) -> None:
    told, out = demo
    assert told.exit_code == 0, told.output
    pack = read_pack(out / "packs" / "allotment_garden_office")
    assert len(pack.scenarios) == 4
    assert all(scenario.solution for scenario in pack.scenarios)
    assert sum(bool(scenario.alternatives) for scenario in pack.scenarios) == 1
    assert {rejection.rule for rejection in pack.rejections} == {1, 2, 3, 4}
    assert "4/4" in told.output


def test_the_demo_tells_what_went_wrong_on_the_way(demo: tuple[Result, Path]) -> None:
    told = demo[0].output
    assert "asked again: the state of this situation does not fit the program" in told
    assert "repair_program: allotment_garden_office/repair 1" in told
    assert "dropped: the author gives it up: Luc Moreau has not paid" in told
