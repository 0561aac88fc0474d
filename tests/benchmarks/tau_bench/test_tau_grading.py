"""Rewards, on the miniature tasks."""

from typing import Any

import pytest

from envscaler_eval.benchmarks.data import DataError
from envscaler_eval.benchmarks.tau_bench import Call, Domain, TauWorld, noop_script, oracle_script
from envscaler_eval.benchmarks.tau_bench.grading import Grade, OutputMatch, grade_trial

CANCEL = ("cancel_pending_order", {"order_id": "#W1", "reason": "no longer needed"})


def graded(domain: Domain, index: int, calls: Any, replies: Any) -> Grade:
    return grade_trial(domain, domain.task("test", index), calls, replies)


def test_the_oracle_earns_1_and_says_why(retail: Domain) -> None:
    script = oracle_script(retail.task("test", 0))
    assert graded(retail, 0, script.calls, [script.reply]) == Grade(
        reward=1.0,
        data_match=True,
        outputs=(OutputMatch("40.1", True), OutputMatch("Kite", True)),
        differences=(),
        crash=None,
    )


def test_the_oracle_does_not_transfer(retail: Domain) -> None:
    assert [call.name for call in oracle_script(retail.task("test", 1)).calls] == [
        "cancel_pending_order"
    ]


def test_doing_nothing_earns_1_only_where_nothing_is_to_be_done(retail: Domain) -> None:
    script = noop_script()
    assert graded(retail, 0, script.calls, [script.reply]).reward == 0.0
    assert graded(retail, 1, script.calls, [script.reply]).reward == 1.0


def test_the_records_that_differ_are_named(retail: Domain) -> None:
    move = ("modify_user_address", {"user_id": "ada_1"} | dict.fromkeys(ADDRESS_KEYS, ""))
    result = graded(retail, 0, [move], ["40.1 for the kite"])
    assert not result.data_match
    assert result.differences == ("orders/#W1", "users/ada_1")


ADDRESS_KEYS = ("address1", "address2", "city", "state", "country", "zip")


def test_a_change_that_is_undone_does_not_count(retail: Domain) -> None:
    old = retail.tables["users"]["ada_1"]["address"]
    moves = [
        ("modify_user_address", {"user_id": "ada_1", **old, "city": city})
        for city in ("Elsewhere", old["city"])
    ]
    assert graded(retail, 0, [*moves, CANCEL], ["40.1 Kite"]).reward == 1.0


def test_new_records_differ_from_none(airline: Domain) -> None:
    booking = {
        "user_id": "cy_3",
        "origin": "AAA",
        "destination": "BBB",
        "flight_type": "one_way",
        "cabin": "economy",
        "flights": [],
        "passengers": [],
        "payment_methods": [],
        "total_baggages": 0,
        "nonfree_baggages": 0,
        "insurance": "no",
    }
    calls = [("cancel_reservation", {"reservation_id": "R1"}), ("book_reservation", booking)]
    assert graded(airline, 0, calls[:1], []).reward == 1.0
    assert graded(airline, 0, calls, []).differences == ("reservations/HATHAT", "users/cy_3")


@pytest.mark.parametrize(
    ("replies", "found"),
    [
        (["It was $40.1 for the KITE."], (True, True)),
        (["It was $40.1.", "For the kite."], (True, True)),
        (["It was $40", ".1 for the kite."], (False, True)),
        (["It was $4,0.1 for the k,ite."], (True, True)),
        (["It was 1040.15."], (True, False)),
        ([], (False, False)),
    ],
)
def test_each_output_is_a_substring_of_one_reply(
    replies: list[str], found: tuple[bool, ...], retail: Domain
) -> None:
    result = graded(retail, 0, [CANCEL], replies)
    assert tuple(match.found for match in result.outputs) == found
    assert result.reward == float(all(found))
    assert result.data_match


def test_a_call_of_respond_is_a_reply(retail: Domain) -> None:
    said = ("respond", {"content": "40.1 for the kite"})
    assert graded(retail, 0, [CANCEL, said], []).reward == 1.0
    empty = graded(retail, 1, [("respond", {})], [])
    assert (empty.reward, empty.crash) == (0.0, "respond was called without content")


def test_what_crashes_upstream_scores_0(airline: Domain) -> None:
    send = ("send_certificate", {"user_id": "di_4", "amount": 1})
    result = graded(airline, 0, [send] * 4, [])
    assert result.reward == 0.0
    assert result.crash is not None


def test_a_reply_that_is_no_text_crashes_where_outputs_are_looked_for(retail: Domain) -> None:
    assert graded(retail, 0, [CANCEL], [None, "40.1 Kite"]).crash == "a reply is not a text"
    assert graded(retail, 1, [], [None]).reward == 1.0


def test_grading_leaves_the_tasks_own_actions_alone(airline: Domain) -> None:
    task = airline.task("test", 0)
    before = repr(task.actions)
    for _ in range(2):
        assert grade_trial(airline, task, task.actions, []).reward == 1.0
    assert repr(task.actions) == before
    assert TauWorld(airline).changes() == {}


@pytest.mark.parametrize(
    "call",
    [
        ("think", {"thought": ""}),
        ["think", {"thought": ""}],
        {"name": "think", "arguments": {"thought": ""}},
        {"name": "think", "kwargs": {"thought": ""}},
        Call("think", {"thought": ""}),
    ],
)
def test_calls_are_read_in_any_form(call: Any) -> None:
    assert Call.of(call) == ("think", {"thought": ""})


@pytest.mark.parametrize("value", ["ab", ("think",), {"name": "think"}, None, ("think", [])])
def test_what_is_no_call_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="expected a call"):
        Call.of(value)


def test_unknown_splits_and_tasks_are_refused_with_the_known_ones(airline: Domain) -> None:
    with pytest.raises(DataError, match="airline: no split 'train'; choose from test"):
        airline.split("train")
    for index in (-1, 1):
        with pytest.raises(DataError, match=f"no task {index}; indices run from 0 to 0"):
            airline.task("test", index)
