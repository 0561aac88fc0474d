"""Whatever an agent does: no exception, no leak between runs, no change of the data."""

import copy
import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envscaler_eval.benchmarks.acebench.conformance import replay_task
from envscaler_eval.benchmarks.acebench.dataset import read
from envscaler_eval.benchmarks.acebench.official import MultiStepDialogue, MultiTurnDialogue
from envscaler_eval.benchmarks.acebench.worlds import AceWorld

HERE = Path(__file__).parent
DATASETS = [read(HERE / "miniature", "en"), read(HERE / "miniature", "zh")]
TASKS = st.sampled_from(
    [(dataset, task) for dataset in DATASETS for task in dataset.tasks.values()]
)

# Every tool with the parameters of its own, listed to agents or not.
TOOLS: dict[str, str] = {
    "turn_on_wifi": "",
    "login_device": "",
    "send_message": "sender_name receiver_name message",
    "delete_message": "message_id",
    "view_messages_between_users": "sender_name receiver_name",
    "search_messages": "user_name keyword",
    "get_all_message_times_with_ids": "",
    "get_latest_message_id": "",
    "view_reminder_by_title": "title",
    "add_reminder": "title description time",
    "delete_reminder": "reminder_id",
    "view_all_reminders": "",
    "mark_as_notified": "reminder_id",
    "search_reminders": "keyword",
    "login_food_platform": "username password",
    "check_balance": "user_name",
    "add_food_delivery_order": "username merchant_name items",
    "search_orders": "keyword",
    "get_flight_details": "origin destination",
    "get_reservation_details": "reservation_id user_id",
    "update_balance": "user payment_method amount",
    "process_refund": "user amount",
    "calculate_baggage_fee": "membership_level cabin_class baggage_count",
    "reserve_flight": "user_id password flight_no cabin payment_method baggage_count",
    "modify_flight": "user_id reservation_id new_flight_no new_cabin add_baggage",
    "cancel_reservation": "user_id reservation_id reason",
    "nothing": "self",
}
KNOWN = ["Ada", "Ben", "kite", "fern", "t1", "t2", "AB1", "res_1", "bank", "Economy Class"]
VALUES = st.recursive(
    st.sampled_from([*KNOWN, None, True, 0, 1, -7, 10**30, 2.5, float("nan"), "\ud800"])
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=3,
)


@st.composite
def calls(draw: Any) -> tuple[str, dict[str, Any]]:
    """Draw a call, most often of a tool and with arguments that it has."""
    name = draw(st.sampled_from([*TOOLS, "__class__", "_say", "saved"]))
    arguments = {parameter: draw(VALUES) for parameter in TOOLS.get(name, "").split()}
    if draw(st.integers(0, 9)) == 0:
        arguments[draw(st.text(max_size=3))] = draw(VALUES)
    return name, arguments


@st.composite
def written_calls(draw: Any) -> str:
    name, arguments = draw(calls())
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"


MESSAGES = (
    st.lists(written_calls(), max_size=3).map(lambda calls: f"[{', '.join(calls)}]")
    | st.text()
    | st.sampled_from(["finish conversation", "[hello]", "[f(x=1)"])
)


@given(TASKS, st.lists(calls(), max_size=6))
@settings(deadline=None, max_examples=50)
def test_no_call_raises_and_states_are_json(chosen: Any, drawn: Any) -> None:
    world = AceWorld(*chosen)
    for name, arguments in drawn:
        given_arguments = copy.deepcopy(arguments)
        assert isinstance(world.call(name, arguments), str)
        assert repr(arguments) == repr(given_arguments)
        json.dumps(world.state())


@given(TASKS, st.lists(MESSAGES, max_size=8))
@settings(deadline=None, max_examples=60)
def test_two_replays_in_one_process_are_identical(chosen: Any, messages: Any) -> None:
    dataset, task = chosen
    before = copy.deepcopy(dataset)
    first, second = (replay_task(dataset, task, messages) for _ in range(2))
    assert repr(first) == repr(second)
    assert dataset == before


@given(TASKS, st.lists(MESSAGES, min_size=45, max_size=45))
@settings(
    deadline=None,
    max_examples=15,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
def test_every_dialogue_ends(chosen: Any, messages: Any) -> None:
    dataset, task = chosen
    dialogue = (MultiStepDialogue if task.kind == "multi_step" else MultiTurnDialogue)(
        dataset, task
    )
    for message in messages:
        if dialogue.turn is None:
            break
        assert isinstance(dialogue.agent_prompt()[1].content, str)
        dialogue.say(message)
    assert dialogue.turn is None
    assert dialogue.ended_by in {"completed", "user_stop", "step_limit"}


def test_a_changed_state_does_not_reach_the_next_world() -> None:
    dataset = DATASETS[0]
    task = dataset.task("agent_multi_step_0")
    untouched = AceWorld(dataset, task).state()
    world = AceWorld(dataset, task)
    for name, arguments in (("login_device", {}), ("delete_message", {"message_id": 1})):
        world.call(name, arguments)
    world.state()["MessageApi"]["inbox"].clear()
    assert len(world.state()["MessageApi"]["inbox"]) == 1
    assert AceWorld(dataset, task).state() == untouched
