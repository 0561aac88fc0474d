"""Each kind of bad scenario is rejected for its own reason, and only for it."""

from pathlib import Path

import pytest

from envscaler_eval.audit import ScenarioCard, Selection, audit_packs, audit_scenario
from envscaler_eval.isolation import IsolationPolicy
from envscaler_eval.pack import PackError, read_pack
from envscaler_eval.runtime import InProcessRuntime
from tests.audit.tool_shed import DRILL, SAW, SCENARIO, SOURCE, checks, guard, write_pack

LEND = {"name": "lend", "arguments": {"tool_id": "T-1", "member_id": "M-1", "days": 5}}
BACK = {"name": "take_back", "arguments": {"loan_id": "LN-40", "condition": "worn"}}
PHONE = {"name": "set_phone", "arguments": {"member_id": "M-3", "phone": "555-0109"}}


def audited(folder: Path) -> ScenarioCard:
    pack = read_pack(folder)
    return audit_scenario(pack.scenarios[0], InProcessRuntime(pack.environment))


def audited_in_processes(folder: Path) -> ScenarioCard:
    (card,) = audit_packs([Selection(folder)], 1, isolation=IsolationPolicy("in_process"))
    return card.scenarios[0]


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def reasons(card: ScenarioCard) -> dict[str, str]:
    return {item.name: " | ".join(item.notes) for item in card.items if not item.passed}


@pytest.mark.usefixtures("own_cache")
def test_the_sound_scenario_passes_everything(tmp_path: Path) -> None:
    card = audited_in_processes(write_pack(tmp_path))
    assert reasons(card) == {}
    assert card.false_positives.count == card.false_negatives.count == 0
    assert card.item("argument_mutants").cases >= 3
    assert card.item("tolerance").cases >= 4


def test_goal_that_is_true_at_the_start(tmp_path: Path) -> None:
    always = (
        "def check(initial, final):\n    return final['tools']['T-3']['name'] == 'pruning saw'\n"
    )
    folder = write_pack(
        tmp_path, checks=[*checks(), {"about": "x", "kind": "goal", "code": always}]
    )
    found = reasons(audited(folder))
    assert "goal 3 (x) is true at the start" in found.pop("floor")
    # Such a goal also never decides anything.
    assert set(found) == {"argument_mutants", "check_mutation"}


def test_guard_that_is_false_at_the_start(tmp_path: Path) -> None:
    late = "def check(initial, final):\n    return final['loans']['LN-40']['condition'] == 'worn'\n"
    found = reasons(audited(write_pack(tmp_path, checks=[*checks(), guard(late)])))
    assert found == {"floor": "guard 3 (a guard) is false at the start"}


def test_vacuous_check(tmp_path: Path) -> None:
    code = "def check(initial, final):\n    return len(final['tools']) > 3\n"
    found = reasons(audited(write_pack(tmp_path, checks=[*checks(), guard(code)])))
    assert set(found) == {"check_mutation"}
    assert "check 3 (a guard) answers the same for every ending" in found["check_mutation"]


def test_check_that_expects_a_generated_id(tmp_path: Path) -> None:
    code = """
def check(initial, final):
    if "LN-41" not in final["loans"]:
        return False
    loan = final["loans"]["LN-41"]
    return (loan["tool_id"], loan["member_id"], loan["days"], loan["condition"]) == (
        "T-1", "M-1", 5, None
    )
"""
    found = reasons(audited(write_pack(tmp_path, checks=checks(drill=code))))
    assert set(found) == {"tolerance"}
    assert "other generated ids" in found["tolerance"]


def test_check_that_expects_a_timestamp(tmp_path: Path) -> None:
    code = DRILL.replace(
        'n["condition"])', 'n["condition"], n["made_at"] < "2026-05-09T09:00:30")'
    ).replace("5, None", "5, None, True")
    found = reasons(audited(write_pack(tmp_path, checks=checks(drill=code))))
    assert set(found) == {"tolerance"}
    assert "a later clock" in found["tolerance"]


def test_check_that_depends_on_the_order_of_the_work(tmp_path: Path) -> None:
    ladder = {"name": "lend", "arguments": {"tool_id": "T-2", "member_id": "M-3", "days": 3}}
    code = """
def check(initial, final):
    new = [loan for key, loan in final["loans"].items() if key not in initial["loans"]]
    return [(n["tool_id"], n["member_id"], n["days"], n["condition"]) for n in new] == [
        ("T-1", "M-1", 5, None), ("T-2", "M-3", 3, None)
    ]
"""
    folder = write_pack(
        tmp_path,
        task=SCENARIO["task"] + " Cleo Marsh takes the ladder for 3 days.",
        checks=checks(drill=code),
        solution=[LEND, ladder, BACK],
        alternatives=[[BACK, LEND, ladder]],
    )
    found = reasons(audited(folder))
    assert set(found) == {"tolerance"}
    assert "calls 1 and 2 swapped" in found["tolerance"]


def test_literal_that_nobody_can_know(tmp_path: Path) -> None:
    secret = {"name": "set_phone", "arguments": {"member_id": "M-1", "phone": "555-7777"}}
    code = "def check(initial, final):\n    return final['members']['M-1']['phone'] == '555-7777'\n"
    goal = {"about": "Ana's number", "kind": "goal", "code": code}
    folder = write_pack(
        tmp_path,
        checks=[*checks(), goal],
        solution=[*SCENARIO["solution"], secret],
        alternatives=[],
    )
    found = reasons(audited(folder))
    assert set(found) == {"leaks"}
    assert "'555-7777'" in found["leaks"]


def test_solution_that_does_not_work(tmp_path: Path) -> None:
    ladder = {"name": "lend", "arguments": {"tool_id": "T-3", "member_id": "M-1", "days": 5}}
    found = reasons(audited(write_pack(tmp_path, solution=[ladder, BACK], alternatives=[])))
    assert set(found) == {"oracle"}
    assert "call 1 lend(tool_id='T-3'" in found["oracle"]
    assert "check 1 (the drill is lent to Ana for 5 days) is false" in found["oracle"]


def test_redundant_write(tmp_path: Path) -> None:
    again = {"name": "set_phone", "arguments": {"member_id": "M-1", "phone": "555-0199"}}
    restored = {"name": "set_phone", "arguments": {"member_id": "M-1", "phone": "555-0101"}}
    folder = write_pack(tmp_path, solution=[again, restored, LEND, BACK], alternatives=[])
    found = reasons(audited(folder))
    assert "without call 1 set_phone" in found["necessity"]
    assert "the call is redundant" in found["necessity"]


def test_write_that_no_check_sees(tmp_path: Path) -> None:
    folder = write_pack(
        tmp_path,
        task=SCENARIO["task"] + " Cleo's number is 555-0109.",
        solution=[LEND, BACK, PHONE],
        alternatives=[],
    )
    found = reasons(audited(folder))
    assert "no check sees what the call does" in found["necessity"]
    assert "survives" in found["argument_mutants"]
    assert set(found) <= {"necessity", "argument_mutants", "collateral"}


def test_argument_that_no_check_sees(tmp_path: Path) -> None:
    code = DRILL.replace(' n["days"],', "").replace('"M-1", 5,', '"M-1",')
    found = reasons(audited(write_pack(tmp_path, checks=checks(drill=code))))
    assert set(found) == {"argument_mutants"}
    assert "days: 5 -> 6" in found["argument_mutants"]
    assert "/loans/LN-41/days" in found["argument_mutants"]


def test_damage_inside_the_granted_places(tmp_path: Path) -> None:
    found = reasons(audited(write_pack(tmp_path, may_change=["/members/*/phone"])))
    assert set(found) == {"collateral"}
    assert "set_phone" in found["collateral"]


def test_easy_goal(tmp_path: Path) -> None:
    code = "def check(initial, final):\n    return final != initial\n"
    found = reasons(audited(write_pack(tmp_path, checks=checks(drill=code))))
    assert "random play earns" in found["floor"]


def test_broken_check(tmp_path: Path) -> None:
    code = "def check(initial, final):\n    return final['loans']['LN-40']['condition']\n"
    found = reasons(audited(write_pack(tmp_path, checks=checks(saw=code))))
    assert set(found) == {"oracle"}
    assert "returned str; return a bool" in found["oracle"]


@pytest.mark.usefixtures("own_cache")
def test_wall_clock(tmp_path: Path) -> None:
    source = SOURCE.replace(
        "due.date().isoformat(),", 'due.date().isoformat(), "stamp": str(read()),'
    ).replace("from typing", "from timeit import default_timer as read\nfrom typing")
    found = reasons(audited_in_processes(write_pack(tmp_path, source=source)))
    assert set(found) == {"determinism"}


@pytest.mark.usefixtures("own_cache")
def test_set_order(tmp_path: Path) -> None:
    source = SOURCE.replace('"tools": self.tools}', '"tools": list(set(self.tools))}')
    found = reasons(audited_in_processes(write_pack(tmp_path, source=source)))
    assert set(found) == {"determinism"}


def test_traceback_in_an_observation(tmp_path: Path) -> None:
    source = SOURCE.replace(
        '"members": self.members}',
        '"members": self.members, "log": "Traceback (most recent call last)"}',
    )
    found = reasons(audited(write_pack(tmp_path, source=source)))
    assert set(found) == {"leaks"}


def test_one_goal_among_many_guards_is_refused_when_read(tmp_path: Path) -> None:
    quiet = guard("def check(initial, final):\n    return final['tools'] == initial['tools']\n")
    folder = write_pack(tmp_path, checks=[checks()[0], quiet, quiet])
    with pytest.raises(PackError, match="1 goals among 3 checks"):
        read_pack(folder)


def test_scenario_without_goal_is_refused_when_read(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="has no goal"):
        read_pack(write_pack(tmp_path, checks=[guard(SAW)]))
