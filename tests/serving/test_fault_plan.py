"""Faults come as they were asked for, and as the conversation has it."""

from collections import Counter

import pytest

from envscaler_eval.errors import UsageError
from envscaler_eval.policies import Turn
from envscaler_eval.scenario import ToolCall
from envscaler_eval.serving import CONTENT_FAULTS, FAULTS, FaultPlan
from envscaler_eval.serving.faults import Occasion

CALLS = Turn(calls=(ToolCall(name="list_items"),))
SAYS = Turn("Done.")
BUSY = Occasion(CALLS, CALLS, native=True)
LAST = Occasion(SAYS, SAYS, native=True)


def test_rates_hold_over_many_replies() -> None:
    plan = FaultPlan.parse([f"{kind}=0.05" for kind in FAULTS])
    drawn = Counter(plan.of_reply(str(n), BUSY, ()) for n in range(4000))
    assert set(drawn) == {None, *CONTENT_FAULTS}
    assert all(0.035 < drawn[kind] / 4000 < 0.065 for kind in CONTENT_FAULTS)
    lost = Counter(plan.of_transport(str(n), 0, opening=False) for n in range(4000))
    assert all(0.035 < lost[kind] / 4000 < 0.065 for kind in ("429", "500", "timeout", "dropped"))


def test_a_rate_is_kept_where_other_kinds_cannot_happen() -> None:
    plan = FaultPlan.parse(["unknown_tool=0.6", "empty_reply=0.2"])
    drawn = Counter(plan.of_reply(str(n), LAST, ()) for n in range(4000))
    assert set(drawn) == {None, "empty_reply"}
    assert 0.17 < drawn["empty_reply"] / 4000 < 0.23


def test_draws_are_fixed_by_seed_and_conversation() -> None:
    plans = [FaultPlan.parse(["empty_reply=0.5"], seed) for seed in (1, 1, 2)]
    one, same, other = ([plan.of_reply(str(n), BUSY, ()) for n in range(50)] for plan in plans)
    assert one == same != other


def test_a_request_that_is_made_again_is_drawn_anew() -> None:
    plan = FaultPlan.parse(["429=0.5"])
    assert {plan.of_transport("a", attempt, opening=True) for attempt in range(20)} == {None, "429"}


def test_a_fault_without_a_rate_comes_once_in_a_conversation() -> None:
    plan = FaultPlan.parse(["empty_reply", "unknown_tool"])
    assert plan.of_reply("a", LAST, ()) == "empty_reply"
    assert plan.of_reply("b", LAST, {"empty_reply"}) is None
    assert plan.of_reply("c", BUSY, {"empty_reply"}) == "unknown_tool"
    assert plan.of_reply("d", BUSY, {"empty_reply", "unknown_tool"}) is None


def test_a_reply_that_is_lost_once_arrives_when_asked_for_again() -> None:
    plan = FaultPlan.parse(["429", "dropped"])
    lost = [plan.of_transport("a", attempt, opening=True) for attempt in range(6)]
    assert lost == ["429", "dropped", None] * 2
    assert plan.of_transport("b", 0, opening=False) is None


def test_stray_quotes_are_a_fault_of_servers_that_parse_calls() -> None:
    plan = FaultPlan.parse(["stray_quotes=1"])
    assert plan.of_reply("a", BUSY, ()) == "stray_quotes"
    assert plan.of_reply("a", Occasion(CALLS, CALLS, native=False), ()) is None


def test_several_calls_take_a_second_one() -> None:
    plan = FaultPlan.parse(["several_calls=1"])
    assert plan.of_reply("a", BUSY, ()) == "several_calls"
    assert plan.of_reply("a", Occasion(CALLS, SAYS, native=True), ()) is None


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["sloth"], "--fault sloth is unknown; use one of malformed_arguments"),
        (["429=often"], "give a rate from 0 to 1"),
        (["429=1.5"], "give a rate from 0 to 1"),
        (["429=nan"], "give a rate from 0 to 1"),
        (["empty_reply=0.7", "refusal=0.7"], "empty_reply, refusal add up to 1.4"),
    ],
)
def test_faults_that_cannot_be_are_refused(given: list[str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        FaultPlan.parse(given)
