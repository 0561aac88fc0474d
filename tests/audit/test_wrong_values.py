"""Wrong values come from the right place: records of the same kind, and the edge."""

from pathlib import Path

from envscaler_eval.audit.argument_mutants import Values
from envscaler_eval.audit.call_fuzzing import edges_in_place
from envscaler_eval.pack import read_pack
from tests.audit.tool_shed import write_pack

SHED = {
    "tools": {"T-1": {"owner": "M-2"}, "T-2": {"owner": "M-1"}},
    "members": {"M-1": {"name": "Ana"}, "M-2": {"name": "Ben"}},
}


def test_ids_of_one_collection_are_not_mistaken_for_those_of_another() -> None:
    assert Values(SHED).like("T-1") == ["T-2"]


def test_an_id_that_records_refer_to_is_like_those_referred_to() -> None:
    assert Values(SHED).like("M-2") == ["M-1"]


def test_a_record_that_the_solution_deletes_is_known_from_the_start() -> None:
    end = {**SHED, "tools": {"T-2": SHED["tools"]["T-2"]}}
    assert Values(end).like("T-1") == []
    assert Values(SHED, end).like("T-1") == ["T-2"]


def test_each_number_of_a_solution_is_tried_at_nought_in_its_place(tmp_path: Path) -> None:
    pack = read_pack(write_pack(tmp_path))
    (scenario,) = pack.scenarios
    position = next(i for i, call in enumerate(scenario.solution) if "days" in call.arguments)
    right = scenario.solution[position]
    sequences = [
        calls
        for _, calls in edges_in_place([(scenario, scenario.solution)], pack.environment.tools)
        if calls[position].name == right.name
        and calls[position].arguments["days"] != right.arguments["days"]
    ]
    (calls,) = sequences
    assert calls[:position] == scenario.solution[:position]
    tried = [call.arguments for call in calls[position:]]
    days = [arguments["days"] for arguments in tried]
    assert all(edge in days for edge in (0, -1, 10**9))
    assert all(arguments == {**right.arguments, "days": arguments["days"]} for arguments in tried)


def test_options_have_no_edge(tmp_path: Path) -> None:
    pack = read_pack(write_pack(tmp_path))
    (scenario,) = pack.scenarios
    for _, calls in edges_in_place([(scenario, scenario.solution)], pack.environment.tools):
        for call in calls:
            assert call.arguments.get("condition") in (None, "good", "worn", "broken")
