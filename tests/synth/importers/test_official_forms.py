"""Each oddity of EnvScaler's released files, in both official forms."""

import json
from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.episode import Episode
from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import Pack, find_packs, read_pack
from tests.synth.importers.conftest import Import, ImportOne
from tests.synth.importers.official import (
    BROKEN,
    CHECKS,
    DONE,
    MODULE_LEVEL,
    PROGRAM,
    STATE,
    UNTOUCHED,
    checklist,
    environment,
    in_repository_form,
    scenario,
)

ENVIRONMENTS = [environment("env_1_sft"), environment("env_141_rl")]
SCENARIOS = [scenario("env_1_sft"), scenario("env_141_rl", 2), scenario("env_141_rl", 1)]


def _hashes(folder: Path) -> dict[str, str]:
    return {pack.name: read_pack(pack).hash for pack in find_packs(folder)}


def test_the_hub_s_list_form_and_the_repository_s_mapping_give_the_same_packs(
    import_records: Import, tmp_path: Path
) -> None:
    import_records(ENVIRONMENTS, SCENARIOS)
    (tmp_path / "packs").rename(tmp_path / "from_list")
    import_records(*in_repository_form(ENVIRONMENTS, SCENARIOS))
    assert _hashes(tmp_path / "packs") == _hashes(tmp_path / "from_list")
    assert set(_hashes(tmp_path / "packs")) == {"env_1_sft", "env_141_rl"}


def test_the_mapping_s_key_is_the_id_of_a_record_without_one(
    import_records: Import, tmp_path: Path
) -> None:
    report = import_records({"env_1_sft": environment(env_id=None)})
    assert report.packs == {"env_1_sft": 1}


@pytest.mark.parametrize("field", ["tools", "env_func_details", "constraints_rules"])
def test_fields_of_the_environment_may_be_json_texts_or_decoded(
    import_one: ImportOne, field: str, tmp_path: Path
) -> None:
    value = environment()[field]
    other = json.loads(value) if isinstance(value, str) else json.dumps(value)
    pack, report = import_one(**{field: other})
    assert not report.dropped
    assert pack.info.rules[0] == "A task can only be completed by whom it is assigned to."


@pytest.mark.parametrize(
    "changes",
    [
        {"init_config": STATE},
        {"init_config": json.dumps(json.dumps(STATE))},
        {"checklist_with_func": json.dumps(checklist(*CHECKS[:4]))},
    ],
)
def test_fields_of_a_scenario_may_be_decoded_or_encoded_again(
    import_one: ImportOne, changes: dict[str, Any]
) -> None:
    pack, _ = import_one([scenario(**changes)])
    assert pack.scenarios[0].state == STATE
    assert [check.about for check in pack.scenarios[0].checks] == [item for item, _ in CHECKS[:4]]


def test_checks_true_at_the_start_are_guards_and_changes_elsewhere_are_free(
    import_one: ImportOne,
) -> None:
    pack, report = import_one()
    (imported,) = pack.scenarios
    assert [check.kind for check in imported.checks] == ["goal", "guard", "goal", "guard"]
    assert not imported.collateral
    assert report.counts["guards, true at the start"] == 2


@pytest.mark.parametrize("checks", [None, [], "null"])
def test_a_scenario_without_checks_is_not_graded(import_one: ImportOne, checks: Any) -> None:
    pack, report = import_one([scenario(checklist_with_func=checks)])
    assert pack.scenarios[0].checks == ()
    assert report.counts["ungraded scenarios"] == 1


def test_a_checklist_without_functions_is_not_graded_and_said_so(import_one: ImportOne) -> None:
    pack, report = import_one(
        [scenario(checklist_with_func=None, checklist=["Has T1 been completed?"])]
    )
    assert pack.scenarios[0].checks == ()
    assert any("checklist has no functions" in note for note in report.notes)


def test_scenarios_are_sorted_by_number_and_keep_their_index_in_the_file(
    import_one: ImportOne,
) -> None:
    pack, _ = import_one([scenario(number=10), scenario(number=9), scenario(number=2)])
    assert [(s.id, s.tags) for s in pack.scenarios] == [
        ("task_2", ("task_index=2",)),
        ("task_9", ("task_index=1",)),
        ("task_10", ("task_index=0",)),
    ]


def test_ids_made_in_one_second_are_told_apart(import_one: ImportOne) -> None:
    pack, report = import_one([scenario(task_id="0312-101500"), scenario(task_id="0312-101500")])
    assert [s.id for s in pack.scenarios] == ["0312-101500", "0312-101500-2"]
    assert any("occurs again" in note for note in report.notes)


def test_damaged_state_definitions_are_not_used(import_one: ImportOne, tmp_path: Path) -> None:
    pack, _ = import_one()
    texts = [file.read_text() for file in pack.folder.rglob("*") if file.is_file()]
    assert not any("ask_id, title, sta" in text for text in texts)
    assert "task_id" in pack.scenarios[0].state["tasks"]["T1"]


def test_rules_are_told_as_released_and_fragments_are_named(import_one: ImportOne) -> None:
    pack, report = import_one()
    assert pack.info.rules[1] == "empty titles are refused."
    assert any("constraints_rules 2 ('empty titles" in note for note in report.notes)
    assert not any("constraints_rules 1" in note for note in report.notes)


@pytest.mark.parametrize("field", ["operation_list", "env_structure", "env_func_details", "tools"])
def test_what_the_program_tells_better_may_be_absent(import_one: ImportOne, field: str) -> None:
    pack, _ = import_one(**{field: None})
    assert [tool.name for tool in pack.environment.tools] == [
        "get_task_by_id",
        "set_status",
        "assign",
    ]


def test_private_methods_in_the_released_tools_are_not_offered(import_one: ImportOne) -> None:
    pack, report = import_one()
    assert "_find" not in pack.environment.validators
    assert "envs.json: env_1_sft: tools: _find is no public method and not offered" in report.notes


def test_types_that_json_cannot_give_are_named(import_one: ImportOne) -> None:
    _, report = import_one()
    told = "\n".join(report.notes)
    assert "slots is declared Dict[int, str], but keys from JSON are texts" in told
    assert "labels is declared set, but JSON gives a list" in told


def _play(pack: Pack, *calls: tuple[str, dict[str, Any]], seed: int = 0) -> tuple[Any, Any]:
    runtime = IsolationPolicy().runtime(pack)
    with Episode(pack.scenarios[0], runtime, seed) as episode:
        for name, arguments in calls:
            episode.call(name, arguments)
        return episode.grade(), episode.state()


FINISH = ("set_status", {"task_id": "T1", "status": "done"})


def test_each_key_of_the_state_replaces_what_the_constructor_made(import_one: ImportOne) -> None:
    pack, _ = import_one()
    _, state = _play(pack)
    assert state["labels"] == ["urgent"]
    assert state["slots"] == {"9": "T1"}
    assert state["log"] == []
    assert state["init_config"] == STATE


def test_the_stored_initial_state_is_a_copy_of_its_own(import_one: ImportOne) -> None:
    pack, _ = import_one()
    grade, state = _play(pack, FINISH)
    assert state["tasks"]["T1"]["status"] == "done"
    assert state["init_config"]["tasks"]["T1"]["status"] == "open"
    assert grade.success


def test_clocks_and_ids_in_the_program_give_the_same_again(import_one: ImportOne) -> None:
    pack, _ = import_one()
    first, second = _play(pack, FINISH), _play(pack, FINISH)
    assert first[1]["log"] == second[1]["log"]
    assert first[0].state_hash == second[0].state_hash
    assert _play(pack, FINISH, seed=1)[0].state_hash != first[0].state_hash


def test_a_constructor_without_parameters_will_do(import_one: ImportOne) -> None:
    program = PROGRAM.replace("self, init_config: dict", "self").replace(
        "self.init_config = init_config", "pass"
    )
    pack, _ = import_one(env_class_code=program)
    grade, state = _play(pack, FINISH)
    assert grade.success
    assert "init_config" not in state


def test_a_check_may_look_at_the_initial_state_and_import(import_one: ImportOne) -> None:
    pack, report = import_one([scenario(checklist_with_func=checklist(*CHECKS[:4]))])
    grade, _ = _play(pack, FINISH, ("assign", {"task_id": "T2", "user_id": "U2"}))
    assert [check.passed for check in grade.checks] == [True, False, True, True]
    assert not grade.broken
    assert not any("no answer" in note for note in report.notes)


def test_a_check_that_writes_to_the_state_changes_no_other(import_one: ImportOne) -> None:
    mutating = CHECKS[4]
    for order in ([mutating, ("done", DONE)], [("done", DONE), mutating]):
        pack, _ = import_one([scenario(checklist_with_func=checklist(*order))])
        grade, _ = _play(pack, FINISH)
        assert all(check.passed for check in grade.checks)
        assert grade.paper_reward == 1
        for folder in find_packs(pack.folder.parent):
            folder.rename(pack.folder.parent.parent / f"done_{order[0][0].split()[0]}")


def test_a_function_that_is_missing_or_no_python_never_passes_and_counts(
    import_one: ImportOne,
) -> None:
    checks = checklist(("done", DONE), ("empty", ""), ("broken", BROKEN), ("left", UNTOUCHED))
    pack, report = import_one([scenario(checklist_with_func=checks)])
    grade, _ = _play(pack, FINISH)
    assert grade.paper_reward == 0.5
    assert [check.about for check in grade.broken] == ["empty", "broken"]
    told = "\n".join(report.notes)
    assert "checklist_with_func 2: check_func: the release has no code for it" in told
    assert "checklist_with_func 3: check_func: its code is no Python" in told


def test_what_gives_no_bool_or_raises_never_passes_and_is_named(import_one: ImportOne) -> None:
    pack, report = import_one([scenario(checklist_with_func=checklist(*CHECKS[5:7], CHECKS[0]))])
    grade, _ = _play(pack, FINISH)
    assert [check.passed for check in grade.checks] == [False, False, True]
    assert any(
        "env_1_sft-task_1: checklist_with_func 1, 2: no answer at the start" in note
        for note in report.notes
    )


def test_a_checklist_may_be_long(import_one: ImportOne) -> None:
    many = checklist(*((f"done {number}", DONE) for number in range(445)))
    pack, _ = import_one([scenario(checklist_with_func=many)])
    grade, _ = _play(pack, FINISH)
    assert len(grade.checks) == 445
    assert grade.paper_reward == 1


def test_a_checklist_that_is_true_at_the_start_earns_nothing_and_is_named(
    import_one: ImportOne,
) -> None:
    pack, report = import_one([scenario(checklist_with_func=checklist(("kept", MODULE_LEVEL)))])
    grade, _ = _play(pack)
    assert (grade.reward, grade.paper_reward) == (0, 1)
    assert any("every check is true at the start" in note for note in report.notes)
