"""What an episode earns."""

from fractions import Fraction
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_eval.episode import CheckResult, Episode, Grade
from envscaler_eval.runtime import InProcessRuntime
from envscaler_eval.scenario import Scenario, ToolCall
from tests.pack_files import CHECKS, SOLUTION

Room = tuple[Scenario, InProcessRuntime]


def _grade(goals: list[bool], guards: list[bool], collateral: int = 0, on: bool = True) -> Grade:
    def results(passed: list[bool], kind: Literal["goal", "guard"]) -> list[CheckResult]:
        return [CheckResult("", kind, answer, None) for answer in passed]

    return Grade(
        checks=(*results(goals, "goal"), *results(guards, "guard")),
        collateral=tuple(f"/{number}" for number in range(collateral)),
        implicit_guard=on,
        state_hash="",
    )


@pytest.mark.parametrize(
    ("goals", "guards", "collateral", "reward"),
    [
        ([True, True], [True], 0, Fraction(1)),
        ([True, False], [True], 0, Fraction(1, 2)),
        ([True, True], [False], 0, Fraction(2, 3)),
        ([True, True], [True], 1, Fraction(2, 3)),
        ([True, True], [True], 9, Fraction(2, 3)),
        ([True, True], [], 1, Fraction(1, 2)),
        ([True, True], [False], 1, Fraction(1, 3)),
        ([True, False, False], [True, False], 1, Fraction(1, 3) * Fraction(2, 4)),
        ([False, False], [True], 0, Fraction(0)),
    ],
)
def test_the_reward_is_goals_times_guards(
    goals: list[bool], guards: list[bool], collateral: int, reward: Fraction
) -> None:
    grade = _grade(goals, guards, collateral)
    assert grade.reward == pytest.approx(float(reward))
    assert grade.success is (reward == 1)


def test_without_the_implicit_guard_collateral_costs_nothing() -> None:
    assert _grade([True], [True], collateral=3, on=False).reward == 1


def test_the_paper_s_reward_is_the_share_of_explicit_checks() -> None:
    grade = _grade([True, False], [True, True], collateral=3)
    assert grade.paper_reward == 3 / 4


def test_nothing_to_grade_by_earns_nothing() -> None:
    grade = _grade([], [])
    assert not grade.graded
    assert (grade.reward, grade.paper_reward, grade.success) == (0, 0, False)


_ANSWERS = st.lists(st.booleans(), max_size=6)


@given(_ANSWERS.filter(bool), _ANSWERS, st.integers(0, 2))
def test_rewards_keep_their_promises(
    goals: list[bool], guards: list[bool], collateral: int
) -> None:
    grade = _grade(goals, guards, collateral)
    assert 0 <= grade.reward <= 1
    assert grade.success == (all(goals) and all(guards) and not collateral)
    assert (grade.reward == 1) == grade.success
    assert (grade.reward == 0) == (not any(goals))
    if any(goals):
        assert grade.reward >= sum(goals) / len(goals) / (2 + len(guards))


@given(_ANSWERS.filter(bool), _ANSWERS, st.data())
def test_one_more_check_passed_never_costs(
    goals: list[bool], guards: list[bool], data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, len(goals) - 1))
    better = [*goals[:index], True, *goals[index + 1 :]]
    assert _grade(better, guards).reward >= _grade(goals, guards).reward


def _play(room: Room, *calls: dict[str, Any], **changes: Any) -> Grade:
    scenario, runtime = room
    changed = Scenario.model_validate({**scenario.model_dump(), **changes})
    # A scenario of its own gets reference changes of its own.
    with Episode(changed, InProcessRuntime(runtime.environment)) as episode:
        for call in calls:
            episode.call(call["name"], call["arguments"])
        return episode.grade()


ORDER = {"name": "order_item", "arguments": {"item_id": "I-1"}}
TAKE_NUT = {"name": "take_item", "arguments": {"item_id": "I-2", "quantity": 1}}


def test_the_solution_earns_everything(room: Room) -> None:
    grade = _play(room, *SOLUTION)
    assert (grade.reward, grade.success, grade.paper_reward) == (1, True, 1)
    assert grade.collateral == ()


def test_doing_nothing_earns_nothing(room: Room) -> None:
    grade = _play(room)
    assert (grade.reward, grade.success) == (0, False)
    assert grade.paper_reward == pytest.approx(1 / 3)


def test_half_of_the_work_earns_half(room: Room) -> None:
    assert _play(room, SOLUTION[1]).reward == pytest.approx(1 / 2)


def test_wrecking_another_record_breaks_guard_and_implicit_guard(room: Room) -> None:
    grade = _play(room, *SOLUTION, TAKE_NUT)
    assert grade.collateral == ("/items/I-2/quantity",)
    assert grade.reward == pytest.approx(1 / 3)


def test_one_record_more_than_the_solution_creates_is_collateral(room: Room) -> None:
    grade = _play(room, *SOLUTION, ORDER)
    assert grade.collateral == ("/orders/O-2",)
    assert grade.reward == pytest.approx(2 / 3)


def test_another_solution_under_the_same_name_grants_its_own_changes(room: Room) -> None:
    scenario, runtime = room
    longer = scenario.model_copy(
        update={"solution": (*scenario.solution, ToolCall.model_validate(ORDER))}
    )

    def collateral(judged: Scenario) -> tuple[str, ...]:
        with Episode(judged, runtime) as episode:
            for call in longer.solution:
                episode.call(call.name, call.arguments)
            return episode.grade().collateral

    assert collateral(scenario) == ("/orders/O-2",)
    assert collateral(longer) == ()


def test_declared_places_may_change_in_addition(room: Room) -> None:
    grade = _play(room, *SOLUTION, ORDER, may_change=["/orders/+"])
    assert grade.success


def test_imported_scenarios_have_no_implicit_guard(room: Room) -> None:
    grade = _play(room, *SOLUTION, ORDER, collateral=False)
    assert grade.success
    assert grade.collateral == ()


def test_a_broken_check_fails_and_is_named(room: Room) -> None:
    broken = {**CHECKS[0], "code": "def check(initial, final):\n    return 1\n"}
    grade = _play(room, *SOLUTION, checks=[broken, *CHECKS[1:]])
    assert grade.reward == pytest.approx(1 / 2)
    assert [check.about for check in grade.broken] == [CHECKS[0]["about"]]


def test_another_way_to_the_same_end_earns_the_same(room: Room) -> None:
    pieces = [
        {"name": "take_item", "arguments": {"item_id": "I-1", "quantity": quantity}}
        for quantity in (1, 2)
    ]
    assert _play(room, SOLUTION[2], *pieces).success
