"""Scenarios as data."""

from typing import Any

import pytest
from pydantic import ValidationError

from envscaler_eval.check_code import check_function
from envscaler_eval.scenario import Check, Scenario, ToolCall
from tests.pack_files import CHECKS, STATE, a_scenario


def _scenario(**changes: Any) -> Scenario:
    return Scenario(**{**a_scenario(), "env": "stock_room", "state": STATE, **changes})


def test_a_scenario_is_named_by_environment_and_id() -> None:
    assert _scenario().name == "stock_room/restock"


def test_a_scenario_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        _scenario().task = "something else"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("def check(initial, final)\n    return True", "line 1"),
        ("def check(initial, final):\n    break", "'break' outside loop"),
        ("return True", "'return' outside function"),
        ("check = 1", "defines no function"),
        ("def check(final):\n    return True", "must take"),
        ("def check(initial, final):\n    return '\0'", "no Python"),
    ],
)
def test_check_code_that_cannot_run_is_refused(code: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        check_function(code)


def test_the_last_function_of_check_code_is_the_check() -> None:
    code = "def total(state):\n    return 1\n\ndef paid(initial, final):\n    return True\n"
    assert check_function(code) == "paid"


def test_a_checklist_needs_a_goal() -> None:
    with pytest.raises(ValidationError, match="has no goal"):
        _scenario(checks=[CHECKS[2]])


def test_at_least_half_of_the_checks_are_goals() -> None:
    _scenario(checks=[CHECKS[0], CHECKS[2]])
    with pytest.raises(ValidationError, match="has 1 goals among 3 checks"):
        _scenario(checks=[CHECKS[0], CHECKS[2], CHECKS[2]])


def test_imported_scenarios_may_be_without_goals_or_checks() -> None:
    assert _scenario(checks=[CHECKS[2]], collateral=False).checks
    assert not _scenario(checks=[]).checks


@pytest.mark.parametrize("now", ["tomorrow", "2026-02-30T08:00:00", "2026-03-09T08:30:00+01:00"])
def test_now_is_a_real_moment_without_a_zone(now: str) -> None:
    with pytest.raises(ValidationError, match="now is"):
        _scenario(now=now)


def test_what_a_user_holds_back_is_part_of_the_task() -> None:
    _scenario(user={"held_back": ["urgent"]})
    with pytest.raises(ValidationError, match="held_back 'later' does not occur"):
        _scenario(user={"held_back": ["later"]})


def test_may_change_holds_pointers() -> None:
    with pytest.raises(ValidationError, match="must start with '/'"):
        _scenario(may_change=["items"])


def test_free_text_names_an_argument_of_its_call() -> None:
    with pytest.raises(ValidationError, match="free_text names 'note'"):
        ToolCall(name="add_note", arguments={"text": "x"}, free_text=("note",))


def test_a_check_is_a_goal_or_a_guard() -> None:
    with pytest.raises(ValidationError, match="'goal' or 'guard'"):
        Check.model_validate({**CHECKS[0], "kind": "wish"})


def test_a_state_holds_json_data_only() -> None:
    with pytest.raises(ValidationError, match="the number nan at /price"):
        _scenario(state={"price": float("nan")})
