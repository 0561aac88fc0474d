"""What is faulty is left out with one line; the rest is imported, and nothing by halves."""

import json
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.pack import find_packs
from envscaler_eval.synth.importers.official_files import read_release
from tests.synth.importers.conftest import Import
from tests.synth.importers.official import (
    DONE,
    PROGRAM,
    STATE,
    checklist,
    environment,
    scenario,
    write_release,
)

FUTURE = "from __future__ import annotations\n"

GOOD = environment("env_2_sft")
GOOD_TASK = scenario("env_2_sft")


@pytest.mark.parametrize(
    ("faulty", "told"),
    [
        ("text", "envs.json: item 2: is a str; each item must be a mapping"),
        (environment(env_id=None), "envs.json: item 2: env_id: is missing; add it"),
        (environment(env_id=7), "envs.json: item 2: env_id: is a int; write a text"),
        (environment("env 1"), "envs.json: env 1: env_id: is 'env 1'; use letters"),
        (environment("../packs"), "envs.json: ../packs: env_id: is '../packs'; use letters"),
        (environment("env_2_sft"), "envs.json: env_2_sft: env_id: occurs twice"),
        (
            environment(env_class_code=None),
            "envs.json: env_1_sft: env_class_code: is missing; add it; 1 of its scenarios go",
        ),
        (
            environment(env_class_code="class TaskTrackingSystem:\n    def"),
            "envs.json: env_1_sft: env_class_code: line 2: invalid syntax",
        ),
        (
            environment(env_class_name="Other"),
            "envs.json: env_1_sft: env_class_code: class 'Other' is missing; it has",
        ),
        (
            environment(env_class_code=f"import os\n{PROGRAM}"),
            "envs.json: env_1_sft: env_class_code: environment 'env_1_sft': line 1: imports os",
        ),
        (
            environment(environment_introduction=""),
            "envs.json: env_1_sft: environment_introduction: is missing",
        ),
        (
            environment(constraints_rules=[1]),
            "envs.json: env_1_sft: constraints_rules 1: Input should be a valid string",
        ),
        (
            environment(constraints_rules="{"),
            "envs.json: env_1_sft: constraints_rules: is no JSON text",
        ),
    ],
)
def test_a_faulty_environment_is_left_out(
    import_records: Import, tmp_path: Path, faulty: Any, told: str
) -> None:
    report = import_records([GOOD, faulty], [GOOD_TASK, scenario()])
    assert report.packs == {"env_2_sft": 1}
    assert any(line.startswith(told) for line in report.dropped)
    assert all("\n" not in line for line in report.dropped)
    assert [folder.name for folder in find_packs(tmp_path / "packs")] == ["env_2_sft"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"env_id": "env_9_rl"}, "env_id: 'env_9_rl' was not read; give the file that has it"),
        ({"env_id": None}, "env_id: is missing; add it"),
        ({"task_id": "a b"}, "task_id: is 'a b'; string should match"),
        ({"task_id": None}, "task_id: is missing; add it"),
        ({"env_class_name": "Shop"}, "env_class_name: is 'Shop', but env_2_sft has 'TaskTracking"),
        ({"task": ""}, "task: is missing; add it"),
        ({"init_config": None}, "init_config: is missing; add it"),
        ({"init_config": "{'a': 1}"}, "init_config: is no JSON text"),
        ({"init_config": "[1]"}, "init_config: is a list; write a mapping"),
        ({"init_config": '{"a": NaN}'}, "init_config: the number nan at /a has no JSON form"),
        (
            {"init_config": {"a": [{"__type__": "set", "value": [1]}]}},
            "init_config: has the marker '__type__' of an intermediate file",
        ),
        ({"init_config": {**STATE, "assign": 1}}, "init_config: 'assign' would hide the tool"),
        ({"init_config": {"__class__": 1}}, "init_config: environment 'env_2_sft' does not start"),
        ({"checklist_with_func": {"a": 1}}, "checklist_with_func: is a dict; write a list"),
        ({"checklist_with_func": ["a"]}, "checklist_with_func 1: is a str; each item must"),
        (
            {"checklist_with_func": checklist(("files", f"import os\n{DONE}"))},
            "checklist_with_func 1: check_func: imports os; use one of",
        ),
        (
            {
                "checklist_with_func": checklist(
                    ("later", f"from __future__ import annotations\n{DONE}")
                )
            },
            "checklist_with_func 1: check_func:",
        ),
    ],
)
def test_a_faulty_scenario_is_left_out(
    import_records: Import, changes: dict[str, Any], told: str
) -> None:
    report = import_records([GOOD], [GOOD_TASK, scenario("env_2_sft", 2, **changes)])
    assert report.packs == {"env_2_sft": 1}
    (line,) = report.dropped
    assert line.startswith("scenarios.json: ")
    assert told in line
    assert "\n" not in line


def test_an_environment_without_sound_scenarios_is_left_out(
    import_records: Import, tmp_path: Path
) -> None:
    report = import_records([GOOD, environment()], [GOOD_TASK, scenario(task="")])
    assert report.packs == {"env_2_sft": 1}
    assert report.dropped[1] == (
        "envs.json: env_1_sft: has no scenario in the files given, or none left; give one that has"
    )


def test_a_key_that_contradicts_the_id_is_named(import_records: Import) -> None:
    report = import_records({"env_2_sft": GOOD, "env_3_sft": environment()}, [GOOD_TASK])
    assert report.dropped == [
        "envs.json: env_1_sft: env_id: stands under the key 'env_3_sft'; give both one name"
    ]


def test_when_nothing_is_left_the_import_fails_and_writes_nothing(
    import_records: Import, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="nothing could be imported; first of all, scenarios"):
        import_records(None, [scenario(task="")])
    assert not (tmp_path / "packs").exists()


def test_a_pack_that_is_there_is_never_written_over(import_records: Import, tmp_path: Path) -> None:
    import_records()
    before = {file: file.read_bytes() for file in (tmp_path / "packs").rglob("*") if file.is_file()}
    with pytest.raises(UsageError, match="env_1_sft: is there already; remove it"):
        import_records([GOOD, environment()], [GOOD_TASK, scenario()])
    after = {file: file.read_bytes() for file in (tmp_path / "packs").rglob("*") if file.is_file()}
    assert after == before


def test_a_pack_is_written_whole_or_not_at_all(
    import_records: Import, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class FullDiskError(Exception):
        pass

    def fail(content: Any) -> str:
        raise FullDiskError

    monkeypatch.setattr("envscaler_eval.core_yaml.dump", fail)
    with pytest.raises(FullDiskError):
        import_records()
    assert list((tmp_path / "packs").iterdir()) == []


@pytest.mark.parametrize("text", ["{", "3", "[]", "{}"])
def test_a_file_that_is_no_release_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "envs.json"
    file.write_text(text)
    with pytest.raises(UsageError, match=r"^\S*envs.json: ") as fault:
        read_release(file, "environments")
    assert "\n" not in fault.value.message


def test_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    envs, scenarios = write_release(tmp_path, [GOOD], [GOOD_TASK])
    with pytest.raises(UsageError, match=r"holds scenarios, not environments; give .* with --env"):
        read_release(scenarios, "environments")
    with pytest.raises(UsageError, match="holds environments, not scenarios"):
        read_release(envs, "scenarios")
    trajectories = tmp_path / "traj.json"
    trajectories.write_text(json.dumps([{"traj_type": "conversation", "messages": "[]"}]))
    with pytest.raises(UsageError, match="holds trajectories, not scenarios"):
        read_release(trajectories, "scenarios")
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_release(tmp_path / "nowhere.json", "scenarios")


def test_an_unknown_choice_is_refused(import_records: Import) -> None:
    with pytest.raises(UsageError, match="there is no environment 'env_7_sft'"):
        import_records(envs=("env_7_sft",))
    report = import_records([GOOD, environment()], [GOOD_TASK, scenario()], envs=("env_1_sft",))
    assert (report.packs, report.dropped) == ({"env_1_sft": 1}, [])
