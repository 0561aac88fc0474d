"""list, show and validate."""

from pathlib import Path

from envscaler_eval.pack import find_packs, read_pack
from tests.cli.commands import Command
from tests.pack_files import CHECKS, a_scenario, write_pack


def test_list_shows_the_library(envscaler: Command) -> None:
    code, output, errors = envscaler("list")
    assert (code, errors) == (0, "")
    for folder in find_packs():
        assert folder.name in output


def test_list_reads_nothing_but_pack_yaml(envscaler: Command, pack_folder: Path) -> None:
    (pack_folder / "environment.py").unlink()
    code, output, _ = envscaler("list", "--root", pack_folder.parent)
    assert code == 0
    assert "stock_room" in output


def test_list_shows_the_healthy_packs_beside_a_faulty_one(
    envscaler: Command, tmp_path: Path
) -> None:
    write_pack(tmp_path, "alpha")
    faulty = write_pack(tmp_path, "beta")
    (faulty / "pack.yaml").write_text("id: [beta", encoding="utf-8")
    write_pack(tmp_path, "gamma")
    code, output, errors = envscaler("list", "--root", tmp_path)
    assert code == 2
    assert "alpha" in output
    assert "gamma" in output
    (line,) = errors.splitlines()
    assert line.startswith("Error: ")
    assert "beta/pack.yaml" in line


def test_sizes_stand_beside_those_of_the_paper(envscaler: Command, pack_folder: Path) -> None:
    code, output, _ = envscaler("list", "--stats", "--root", pack_folder.parent)
    assert code == 0
    lines = [line.split() for line in output.splitlines()]
    tools = len(read_pack(pack_folder).environment.tools)
    assert ["tools", "of", "an", "environment", f"{tools:.1f}", "18.6"] in lines
    assert "1 scenarios: 100% easy, 0% medium, 0% hard" in output


def test_list_of_a_folder_that_is_not_there_is_refused(envscaler: Command, tmp_path: Path) -> None:
    code, _, errors = envscaler("list", "--root", tmp_path / "nowhere")
    assert code == 2
    assert "nowhere" in errors


def test_show_tells_an_environment_with_tools_and_scenarios(
    envscaler: Command, pack_folder: Path
) -> None:
    code, output, _ = envscaler("show", pack_folder)
    assert code == 0
    for part in ("Keeps small parts.", "Nobody takes more", "take_item", "(priority)", "restock"):
        assert part in output


def test_show_tells_a_scenario_with_checks_and_solution(
    envscaler: Command, pack_folder: Path
) -> None:
    code, output, _ = envscaler("show", f"{pack_folder}/restock")
    assert code == 0
    for part in ("Take three bolts out.", "nuts were ordered", "take_item(item_id='I-1'"):
        assert part in output


def test_show_tells_every_scenario_of_a_shipped_pack(envscaler: Command) -> None:
    folder = find_packs()[0]
    for scenario in read_pack(folder).scenarios:
        code, output, _ = envscaler("show", scenario.name)
        assert code == 0
        assert scenario.checks[0].about.split()[0] in output


def test_brackets_are_shown_as_they_stand(envscaler: Command, tmp_path: Path) -> None:
    check = {**CHECKS[0], "about": "list[str] of [/bold] bolts"}
    pack = write_pack(
        tmp_path,
        title="Room [red]",
        introduction="See [appendix].",
        scenarios=[a_scenario(checks=[check, CHECKS[1]])],
    )
    assert "Room [red]" in envscaler("list", "--root", tmp_path)[1]
    assert "See [appendix]." in envscaler("show", pack)[1]
    assert "list[str] of [/bold] bolts" in envscaler("show", f"{pack}/restock")[1]


def test_an_unknown_environment_ends_in_one_line(envscaler: Command) -> None:
    code, _, errors = envscaler("show", "atlantis")
    assert code == 2
    (line,) = errors.splitlines()
    assert line.startswith("Error: there is no environment 'atlantis'")


def test_an_unknown_scenario_ends_in_one_line(envscaler: Command, pack_folder: Path) -> None:
    code, _, errors = envscaler("show", f"{pack_folder}/nope")
    assert code == 2
    assert errors.splitlines() == ["Error: stock_room: there is no scenario 'nope'; it has restock"]


def test_validate_finds_a_sound_pack_sound(envscaler: Command, pack_folder: Path) -> None:
    code, output, errors = envscaler("validate", pack_folder)
    assert (code, errors) == (0, "")
    assert "1 pack is sound" in output


def test_validate_tells_each_fault_in_one_line_and_goes_on(
    envscaler: Command, tmp_path: Path
) -> None:
    faulty = write_pack(tmp_path, "alpha")
    (faulty / "scenarios.yaml").write_text("- id: x\n  id: y", encoding="utf-8")
    unsolved = write_pack(tmp_path, "beta", scenarios=[a_scenario(solution=[])])
    code, output, errors = envscaler("validate", faulty, unsolved)
    assert code == 2
    first, second = errors.splitlines()
    assert "alpha/scenarios.yaml" in first
    assert "'id' occurs twice" in first
    assert "beta/scenarios.yaml: scenario 'restock': the solution is empty" in second
    assert "sound" not in output


def test_validate_of_an_unknown_environment_ends_in_one_line(envscaler: Command) -> None:
    code, _, errors = envscaler("validate", "atlantis")
    assert code == 2
    assert len(errors.splitlines()) == 1


def test_a_misspelt_command_ends_with_two(envscaler: Command) -> None:
    code, _, errors = envscaler("lst")
    assert code == 2
    assert "lst" in errors
