"""Imported packs are evaluated and audited at once, from the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from envscaler_eval.cli.app import app
from envscaler_eval.errors import UsageError
from envscaler_eval.pack import read_pack
from envscaler_eval.synth.importers.official_files import Published, load_published
from envscaler_eval.validation import validate_pack
from tests.inspect_runs import call, facts, model, observations, only, run, say, score
from tests.loaded import use_own_cache
from tests.synth.importers.conftest import Import, ImportOne
from tests.synth.importers.official import (
    CHECKS,
    checklist,
    environment,
    in_repository_form,
    scenario,
    write_release,
)

FINISH = say("", call("set_status", task_id="T1", status="done"))
DONE = say("Task Completed")


def _command(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "200"})


def test_the_paper_s_protocol_pays_the_paper_s_reward(
    import_one: ImportOne, tmp_path: Path
) -> None:
    pack, _ = import_one([scenario(checklist_with_func=checklist(*CHECKS))])
    log = run(pack.folder, model(FINISH, DONE), tmp_path / "logs", protocol="paper")
    sample = only(log)
    # T1 done, T2 left alone, the change logged, nobody removed, T2 kept; four never pass.
    assert score(sample)["paper_reward"] == 5 / 9
    assert facts(sample)["isolation"] == "isolated"
    assert observations(sample) == ["{'success': True, 'message': 'Status changed'}"]
    assert log.eval.metadata and log.eval.metadata["packs"] == {"env_1_sft": pack.hash}


def test_an_episode_cut_short_pays_nothing_by_the_paper_s_protocol(
    import_one: ImportOne, tmp_path: Path
) -> None:
    pack, _ = import_one()
    log = run(pack.folder, model(FINISH), tmp_path / "logs", protocol="paper", step_limit=2)
    assert score(only(log))["paper_reward"] == 0


def test_a_folder_of_packs_is_evaluated_and_ungraded_scenarios_are_left_unscored(
    import_records: Import, tmp_path: Path
) -> None:
    import_records(
        [environment(), environment("env_2_sft")],
        [scenario(), scenario("env_2_sft", checklist_with_func=None)],
    )
    log = run(tmp_path / "packs", model(FINISH, DONE), tmp_path / "logs")
    samples = {sample.id: sample for sample in log.samples or []}
    assert score(samples["env_1_sft/task_1:non_conv"])["success"] == 1
    ungraded = samples["env_2_sft/task_1:non_conv"].scores
    assert ungraded is not None
    assert ungraded["checklist"].reason == "the scenario has no checks"


def test_the_oracle_says_that_imported_scenarios_have_no_solution(
    import_one: ImportOne, tmp_path: Path
) -> None:
    pack, _ = import_one()
    log = run(pack.folder, "policy/oracle", tmp_path / "logs")
    (sample,) = log.samples or []
    assert sample.error is not None
    assert "env_1_sft/task_1: there is no solution for the oracle to play" in sample.error.message


def test_the_packs_are_audited_for_what_can_be_asked_of_them(
    import_records: Import, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    import_records()
    ended = _command("audit", tmp_path / "packs", "--jobs", 1, "--record")
    (row,) = [line for line in ended.stdout.splitlines() if line.startswith(" env_1_sft ")]
    assert row.split()[:3] == ["env_1_sft", "1/1", "-"]
    assert "env_1_sft: robustness: assign(" in ended.stdout
    quality = read_pack(tmp_path / "packs" / "env_1_sft").info.quality
    assert quality["oracle"] is None
    assert quality["determinism"] == 1


def test_a_sound_imported_pack_is_valid(import_one: ImportOne) -> None:
    pack, _ = import_one()
    assert validate_pack(pack.folder) == []


def test_the_command_imports_and_reports(tmp_path: Path) -> None:
    by_id, tasks = in_repository_form(
        [environment(), environment("env_2_sft")],
        [scenario(), scenario("env_2_sft", env_class_name="Shop")],
    )
    env_file, scenario_file = write_release(tmp_path, by_id, tasks)
    files = ("--env", env_file, "--scenarios", scenario_file)
    ended = _command(
        "import", "envscaler-hub", *files, "--out", tmp_path / "packs", "--split", "test"
    )
    assert ended.exit_code == 0, ended.output
    assert "left out: scenarios.json: env_2_sft-task_1: env_class_name: is 'Shop'" in ended.stderr
    report = json.loads((tmp_path / "packs" / "import_report.json").read_text())
    assert report["counts"]["environments"] == 1
    assert report["sources"][0].startswith("envs.json, sha256 ")
    assert len(report["dropped"]) == 2
    pack = read_pack(tmp_path / "packs" / "env_1_sft")
    assert pack.info.split == "test"
    assert pack.info.provenance == (f"env_1_sft of {report['sources'][0]}",)
    assert pack.info.canary.startswith("envscaler-eval:env_1_sft:")


def test_one_file_without_the_other_is_a_mistake(tmp_path: Path) -> None:
    env_file, _ = write_release(tmp_path, [environment()], [scenario()])
    ended = _command("import", "envscaler-hub", "--env", env_file, "--out", tmp_path / "packs")
    assert isinstance(ended.exception, UsageError)
    assert "give both --env and --scenarios" in ended.exception.message


def test_the_published_files_are_read_through_datasets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_own_cache(monkeypatch, tmp_path)
    write_release(tmp_path / "hub", [environment()], [scenario(), scenario(number=2)])
    here = str(tmp_path / "hub")
    released = load_published(Published(here, "main", "envs.json"), "environments")
    assert released.records == ((None, environment()),)
    released = load_published(Published(here, "main", "scenarios.json"), "scenarios")
    assert [record for _, record in released.records] == [scenario(), scenario(number=2)]


def test_a_data_set_that_cannot_be_had_is_told_with_what_to_do(tmp_path: Path) -> None:
    nowhere = Published(str(tmp_path / "nowhere"), "main", "envs.json")
    with pytest.raises(UsageError, match=r"cannot be loaded: .*; download envs.json .* --env"):
        load_published(nowhere, "environments")
