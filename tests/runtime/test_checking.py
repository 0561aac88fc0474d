"""Checks that cannot influence one another."""

from typing import Any

import pytest

from envscaler_eval.environment import Environment
from envscaler_eval.episode import Episode, Grade
from envscaler_eval.runtime import InProcessRuntime
from envscaler_eval.scenario import Check, Scenario
from tests.pack_files import CHECKS

Room = tuple[Scenario, InProcessRuntime]


def _grade(room: Room, *codes: str) -> Grade:
    scenario, runtime = room
    checks = [{"about": code, "kind": "goal", "code": code} for code in codes]
    changed = Scenario.model_validate({**scenario.model_dump(), "checks": checks})
    with Episode(changed, runtime) as episode:
        return episode.grade()


def _passed(grade: Grade) -> list[bool]:
    return [check.passed for check in grade.checks]


QUANTITY = "def check(initial, final):\n    return final['items']['I-1']['quantity'] == 10\n"
SAME = "def check(initial, final):\n    return initial['items'] == final['items']\n"
TRUE_ONE = "def check(initial, final):\n    return type(final['next_order']) is int\n"
FIRST_KEY = "def check(initial, final):\n    return next(iter(final['items'])) == 'I-1'\n"


@pytest.mark.parametrize(
    "vandal",
    [
        "def check(initial, final):\n    final['items']['I-1']['quantity'] = 0\n    return True\n",
        "def check(initial, final):\n    initial['items'].clear()\n    return True\n",
        "def check(initial, final):\n    final['next_order'] = True\n    return True\n",
        "def check(initial, final):\n    final['next_order'] = 1.0\n    return True\n",
        "def check(initial, final):\n"
        "    final['items']['I-1'] = final['items'].pop('I-1')\n    return True\n",
        "def check(initial, final):\n    final['items'].popitem()\n    raise ValueError\n",
    ],
)
def test_a_check_that_writes_to_its_states_influences_no_other(room: Room, vandal: str) -> None:
    others = (QUANTITY, SAME, TRUE_ONE, FIRST_KEY)
    assert _passed(_grade(room, vandal, *others))[1:] == [True] * 4
    assert _passed(_grade(room, *others, vandal))[:4] == [True] * 4


def test_a_check_that_writes_to_its_states_leaves_the_episode_as_it_is(room: Room) -> None:
    vandal = "def check(initial, final):\n    final['items'].clear()\n    return True\n"
    grade = _grade(room, vandal)
    assert grade.collateral == ()
    assert grade.state_hash == _grade(room, SAME).state_hash


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return 1", "returned int; return a bool"),
        ("return None", "returned NoneType; return a bool"),
        ("return final['nothing']", "raised KeyError: 'nothing'"),
        ("raise SystemExit('bye')", "raised SystemExit: bye"),
        ("raise ValueError('one\\ntwo')", "raised ValueError: one"),
        ("return check(initial, final)", "raised RecursionError: maximum recursion"),
    ],
)
def test_a_check_without_an_answer_is_broken_and_has_not_passed(
    room: Room, body: str, told: str
) -> None:
    grade = _grade(room, f"def check(initial, final):\n    {body}\n", QUANTITY)
    assert _passed(grade) == [False, True]
    (broken,) = grade.broken
    assert broken.broken is not None
    assert told in broken.broken


def test_the_helpers_of_one_check_are_unknown_to_another(room: Room) -> None:
    one = "limit = 10\ndef check(initial, final):\n    global seen\n    seen = 1\n    return True\n"
    other = "def check(initial, final):\n    return 'seen' in globals() or 'limit' in globals()\n"
    assert _passed(_grade(room, one, other)) == [True, False]


def test_checks_share_their_states_only_while_they_read(room: Room) -> None:
    grade = _grade(room, *[check["code"] for check in CHECKS])
    assert _passed(grade) == [False, False, True]


def test_checks_see_the_scenario_s_time(room: Room) -> None:
    code: Any = (
        "import datetime\ndef check(initial, final):\n"
        "    return datetime.date.today().isoformat() == '2026-03-09'\n"
    )
    assert _passed(_grade(room, code)) == [True]


BOX = """
class Box:
    def __init__(self):
        self.left = 2

    def get(self, _):
        self.left -= 1
        return self.left


class World:
    def __init__(self):
        self.box = Box()

    def throw_away(self) -> dict:
        self.box = None
        return {}
"""


@pytest.mark.parametrize(("calls", "state"), [([], "final"), (["throw_away"], "initial")])
def test_looking_at_an_object_of_the_environment_influences_nothing(
    calls: list[str], state: str
) -> None:
    environment = Environment(
        id="world", title="W", introduction="", rules=(), class_name="World", source=BOX
    )
    session = InProcessRuntime(environment).start({}, "2026-03-09T08:30:00", "0")
    for call in calls:
        session.call(call, {})
    code = f"def check(initial, final):\n    return {state}['box'].get(0) == 1\n"
    check = Check(about="x", kind="goal", code=code)
    first, second = session.judge([check, check]), session.judge([check, check])
    assert [verdict.passed for verdict in first.verdicts] == [True, True]
    assert first == second
