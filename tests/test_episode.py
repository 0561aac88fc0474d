"""Episodes: calls, their faults, and what is not shared."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envscaler_eval.episode import Episode
from envscaler_eval.pack import find_packs, read_pack
from envscaler_eval.runtime import InProcessRuntime
from envscaler_eval.scenario import Scenario
from envscaler_eval.state import state_hash
from tests.pack_files import STATE

Room = tuple[Scenario, InProcessRuntime]


def _call(room: Room, name: str, arguments: dict[Any, Any], **options: Any) -> tuple[str, str]:
    """Make one call; return its status and the error that the observation tells."""
    with Episode(*room, **options) as episode:
        observation = episode.call(name, arguments)
        assert episode.calls[-1].name == name
        return episode.calls[-1].status, json.loads(observation).get("error", "")


def test_a_call_changes_the_state_and_is_recorded(room: Room) -> None:
    with Episode(*room) as episode:
        observation = episode.call("take_item", {"item_id": "I-1", "quantity": 3})
        assert json.loads(observation) == {"success": True, "left": 7}
        assert episode.state()["items"]["I-1"]["quantity"] == 7
        (call,) = episode.calls
        assert (call.name, call.status) == ("take_item", "ok")
        assert call.arguments == {"item_id": "I-1", "quantity": 3}


def test_a_refusal_of_the_tool_leaves_the_state_as_it_was(room: Room) -> None:
    with Episode(*room) as episode:
        episode.call("take_item", {"item_id": "I-1", "quantity": 300})
        assert episode.calls[0].status == "failed"
        assert episode.state() == STATE


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"item_id": "I-1"}, '"quantity" is a required property'),
        ({"item_id": "I-1", "quantity": "3"}, '\'quantity\': "3" is not of type "integer"'),
        ({"item_id": "I-1", "quantity": 3.0}, "'quantity': 3.0 is not of type \"integer\""),
        ({"item_id": "I-1", "quantity": True}, "'quantity': true is not of type \"integer\""),
        ({"item_id": "I-1", "quantity": None}, "'quantity': null is not of type \"integer\""),
        ({"item_id": "I-1", "quantity": 3, "colour": "red"}, "'colour' was unexpected"),
        ({"item_id": "I-1", "quantity": float("nan")}, "nan at /quantity"),
        ({"item_id": "\ud800", "quantity": 3}, "half a surrogate pair at /item_id"),
        ({"item_id": {1, 2}, "quantity": 3}, "a set at /item_id"),
        ({1: "I-1"}, "the key 1"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_with_the_parameter_and_the_fault(
    room: Room, arguments: dict[Any, Any], told: str
) -> None:
    status, error = _call(room, "take_item", arguments)
    assert status == "invalid"
    assert error.startswith("Invalid arguments for take_item: ")
    assert told in error


def test_a_choice_outside_of_its_options_is_refused_with_the_options(room: Room) -> None:
    status, error = _call(room, "order_item", {"item_id": "I-1", "priority": "urgent"})
    assert status == "invalid"
    assert "priority" in error
    assert "low" in error
    assert "high" in error


def test_a_refusal_does_not_repeat_a_long_value(room: Room) -> None:
    _, error = _call(room, "take_item", {"item_id": "I-1", "quantity": "x" * 10_000})
    assert len(error) < 500
    assert 'is not of type "integer"' in error


def test_arguments_are_never_coerced(tmp_path: Path) -> None:
    from tests.pack_files import stock_room

    source = (
        "class StockRoom:\n    def list_items(self): ...\n    def take_item(self, **_): ...\n"
        "    def order_item(self): ...\n"
        "    def tell(self, x) -> dict:\n        return {'told': repr(x)}\n"
    )
    _, runtime, scenario = stock_room(tmp_path, source=source)
    with Episode(scenario, runtime) as episode:
        for value in ("1", 1, 1.0, True, None, [1.0], {"a": 2.0}):
            assert json.loads(episode.call("tell", {"x": value})) == {"told": repr(value)}


@pytest.mark.parametrize(
    "name",
    [
        "_secret",
        "__init__",
        "__class__",
        "items",
        "state",
        "take",
        "Take_Item",
        "",
        "take_item ",
        "ü",
    ],
)
def test_only_declared_tools_can_be_called(room: Room, name: str) -> None:
    status, error = _call(room, name, {})
    assert status == "unknown"
    assert error == f"There is no tool named '{name}'"


def test_a_tool_that_raises_is_an_observation(room: Room) -> None:
    status, error = _call(room, "break_down", {"message": "jammed\nat the door"})
    assert (status, error) == ("raised", "break_down raised RuntimeError: jammed")


def test_without_validation_wrong_arguments_reach_the_tool(room: Room) -> None:
    status, error = _call(room, "take_item", {"item_id": "I-1"}, validate=False)
    assert status == "raised"
    assert "missing 1 required positional argument: 'quantity'" in error


def test_without_validation_a_missing_tool_is_still_missing(room: Room) -> None:
    assert _call(room, "_secret", {}, validate=False)[0] == "unknown"


def test_python_observations_are_what_the_paper_s_agents_see(room: Room) -> None:
    with Episode(*room, observations="python") as episode:
        observation = episode.call("take_item", {"item_id": "I-1", "quantity": 3})
    assert observation == "{'success': True, 'left': 7}"


def test_the_caller_s_arguments_are_not_kept_by_reference(room: Room) -> None:
    arguments = {"item_id": "I-1", "quantity": 3}
    with Episode(*room) as episode:
        episode.call("take_item", arguments)
        arguments["quantity"] = 99
        assert episode.calls[0].arguments["quantity"] == 3


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=5)
    | st.sampled_from(["I-1", "I-2", "high"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
_NAMES = st.sampled_from(["list_items", "take_item", "order_item", "break_down"]) | st.text(
    max_size=5
)
_ARGUMENTS = st.dictionaries(
    st.sampled_from(["item_id", "quantity", "priority", "message"]) | st.text(max_size=3), _JSON
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls=st.lists(st.tuples(_NAMES, _ARGUMENTS), max_size=8), validate=st.booleans())
def test_no_call_ever_raises_and_refused_ones_change_nothing(
    room: Room, calls: list[tuple[str, dict[str, Any]]], validate: bool
) -> None:
    with Episode(*room, validate=validate) as episode:
        for name, arguments in calls:
            before = state_hash(episode.state())
            assert isinstance(episode.call(name, arguments), str)
            if episode.calls[-1].status in ("failed", "raised", "invalid", "unknown"):
                assert state_hash(episode.state()) == before
        assert len(episode.calls) == len(calls)
        assert 0 <= episode.grade().reward <= 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls=st.lists(st.tuples(_NAMES, _ARGUMENTS), max_size=8), seed=st.integers(0, 3))
def test_an_episode_is_a_function_of_scenario_seed_and_calls(
    room: Room, calls: list[tuple[str, dict[str, Any]]], seed: int
) -> None:
    def told() -> tuple[list[str], str]:
        with Episode(*room, seed=seed) as episode:
            return [episode.call(*call) for call in calls], episode.grade().state_hash

    assert told() == told()


def test_interleaved_episodes_do_not_share_state(room: Room) -> None:
    with Episode(*room) as one, Episode(*room) as other:
        one.call("take_item", {"item_id": "I-1", "quantity": 3})
        assert other.state() == STATE
        other.call("order_item", {"item_id": "I-2"})
        assert one.state()["orders"] == {}
    assert room[0].state == STATE


def test_class_attributes_are_an_episode_s_own(tmp_path: Path) -> None:
    from tests.pack_files import stock_room

    source = (
        "class StockRoom:\n    seen = []\n    count = 0\n"
        "    def list_items(self) -> dict:\n        StockRoom.count += 1\n"
        "        self.seen.append(1)\n        return {'n': [len(self.seen), self.count]}\n"
        "    def take_item(self): ...\n    def order_item(self): ...\n"
    )
    _, runtime, scenario = stock_room(tmp_path, source=source)
    for _ in range(3):
        with Episode(scenario, runtime) as episode:
            assert json.loads(episode.call("list_items", {})) == {"n": [1, 1]}


def test_a_closed_episode_can_be_closed_again_and_nothing_else(room: Room) -> None:
    episode = Episode(*room)
    episode.close()
    episode.close()
    for use in (episode.state, episode.grade, lambda: episode.call("list_items", {})):
        with pytest.raises(ValueError, match="the episode of stock_room/restock is closed"):
            use()


def test_grading_does_not_end_an_episode_and_changes_nothing(room: Room) -> None:
    with Episode(*room) as episode:
        assert episode.grade() == episode.grade()
        episode.call("take_item", {"item_id": "I-1", "quantity": 3})
        assert episode.grade().reward > 0


@pytest.mark.parametrize("folder", find_packs()[:2], ids=lambda folder: folder.name)
def test_two_episodes_of_a_shipped_scenario_go_alike(folder: Path) -> None:
    pack = read_pack(folder)
    runtime = InProcessRuntime(pack.environment)
    for scenario in pack.scenarios:
        with Episode(scenario, runtime) as one, Episode(scenario, runtime) as other:
            for call in scenario.solution:
                assert one.call(call.name, call.arguments) == other.call(call.name, call.arguments)
