"""Validating packs by running them."""

from pathlib import Path
from typing import Any

import pytest

from envscaler_eval.validation import validate_pack
from tests.pack_files import CHECKS, KEPT, SOLUTION, SOURCE, STATE, TAKEN, a_scenario, write_pack


def _faults(root: Path, **changes: Any) -> list[str]:
    faults = validate_pack(write_pack(root, **changes))
    for fault in faults:
        assert "\n" not in fault
        assert fault.startswith("stock_room/") or "/stock_room/" in fault, fault
    return faults


def _scenario_faults(root: Path, **changes: Any) -> list[str]:
    return _faults(root, scenarios=[a_scenario(**changes)])


def test_a_sound_pack_has_no_faults(pack_folder: Path) -> None:
    assert validate_pack(pack_folder) == []


def test_a_pack_that_cannot_be_read_is_one_fault(pack_folder: Path) -> None:
    (pack_folder / "environment.py").unlink()
    (fault,) = validate_pack(pack_folder)
    assert "environment.py: is missing" in fault


def test_a_goal_that_is_true_at_the_start_is_a_fault(tmp_path: Path) -> None:
    goal = {"about": "nuts are kept", "kind": "goal", "code": KEPT}
    (fault,) = _scenario_faults(tmp_path, checks=[*CHECKS[:2], goal])
    assert "scenario 'restock': check 3 (nuts are kept) is a goal and true at the start" in fault
    assert "make it a guard" in fault


def test_a_guard_that_is_false_at_the_start_is_a_fault(tmp_path: Path) -> None:
    guard = {"about": "bolts are gone", "kind": "guard", "code": TAKEN}
    (fault,) = _scenario_faults(tmp_path, checks=[*CHECKS[:2], guard])
    assert "check 3 (bolts are gone) is a guard and false at the start" in fault


def test_a_broken_check_is_a_fault(tmp_path: Path) -> None:
    check = {"about": "x", "kind": "goal", "code": "def check(initial, final):\n    return 1\n"}
    faults = _scenario_faults(tmp_path, checks=[check])
    assert faults
    assert all("check 1 (x) returned int; return a bool" in fault for fault in faults)


def test_a_solution_that_leaves_a_goal_open_is_a_fault(tmp_path: Path) -> None:
    (fault,) = _scenario_faults(tmp_path, solution=SOLUTION[:2])
    assert "the solution leaves check 2 (nuts were ordered) false" in fault


def test_a_solution_with_a_call_that_fails_is_a_fault(tmp_path: Path) -> None:
    call = {"name": "take_item", "arguments": {"item_id": "I-9", "quantity": 1}}
    (fault,) = _scenario_faults(tmp_path, solution=[call, *SOLUTION])
    assert "the solution call 1 (take_item) fails" in fault
    assert "There is no item I-9" in fault


def test_a_solution_with_arguments_that_do_not_fit_is_a_fault(tmp_path: Path) -> None:
    call = {"name": "take_item", "arguments": {"item_id": "I-1", "quantity": "3"}}
    faults = _scenario_faults(tmp_path, solution=[SOLUTION[2], call])
    assert any("the solution call 2 (take_item) fails" in fault for fault in faults)


def test_a_scenario_without_a_solution_is_a_fault(tmp_path: Path) -> None:
    (fault,) = _scenario_faults(tmp_path, solution=[])
    assert "the solution is empty; write down the calls" in fault


def test_an_alternative_that_does_not_solve_is_a_fault(tmp_path: Path) -> None:
    (fault,) = _scenario_faults(tmp_path, alternatives=[SOLUTION[2:]])
    assert "alternative 1 leaves check 1" in fault


def test_an_alternative_that_changes_more_is_a_fault(tmp_path: Path) -> None:
    again = [*SOLUTION, {"name": "order_item", "arguments": {"item_id": "I-1"}}]
    (fault,) = _scenario_faults(tmp_path, alternatives=[again])
    assert "alternative 1 changes /orders/O-2, which is collateral" in fault
    assert "list it in may_change" in fault


def test_a_state_that_does_not_serialise_is_a_fault(tmp_path: Path) -> None:
    source = SOURCE.replace("self.orders: dict[str, dict] = {}", "self.orders = {}; self.x = print")
    (fault,) = _faults(tmp_path, source=source)
    assert "scenario 'restock': the final state cannot be judged" in fault
    assert "repair the environment or the state" in fault


def test_an_environment_that_does_not_start_is_a_fault(tmp_path: Path) -> None:
    source = SOURCE.replace("self.next_order: int = 1", "self.next_order = 1 / 0")
    (fault,) = _faults(tmp_path, source=source)
    assert "environment 'stock_room' does not start: ZeroDivisionError" in fault


@pytest.mark.parametrize(
    "disorder",
    [
        'return {"success": True, "items": list({"bolt", "nut", "nail", "screw", "peg", "pin"})}',
        'self.seen = list({"bolt", "nut", "nail", "screw", "peg"}); return {"success": True}',
    ],
)
def test_a_pack_that_depends_on_the_order_of_a_set_is_reported(
    disorder: str, tmp_path: Path
) -> None:
    source = SOURCE.replace('return {"success": True, "items": self.items}', disorder)
    scenario = a_scenario(may_change=["/seen"])
    (fault,) = _faults(
        tmp_path,
        source=source,
        scenarios=[scenario],
        states={"monday": {**STATE, "seen": []}},
    )
    assert "environment.py: scenario 'restock' goes differently in another process" in fault
    assert "sort sets" in fault


def test_a_set_that_is_only_looked_into_is_no_fault(tmp_path: Path) -> None:
    source = SOURCE.replace("if item_id not in self.items:", "if item_id not in set(self.items):")
    assert _faults(tmp_path, source=source) == []


def test_the_faults_of_all_scenarios_are_told(tmp_path: Path) -> None:
    scenarios = [a_scenario(id="one", solution=[]), a_scenario(id="two", solution=SOLUTION[:2])]
    faults = _faults(tmp_path, scenarios=scenarios)
    assert ["'one'" in faults[0], "'two'" in faults[1]] == [True, True]
